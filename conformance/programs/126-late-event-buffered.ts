/** Shows R-EV-5, F-EV-8: the same, when the next wait is called only later. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.waitForEvent("one", { type: "t", timeout: 300 });
    } catch (error) {
      await log("one-caught", seen(error));
    }
    await step.sleep("rest", 600);
    const got = await step.waitForEvent<string>("two", { type: "t", timeout: 300 });
    return got.payload;
  }
}

export default driven();
