/** Shows K-41, R-EV-5, F-EV-8: an event that comes too late for one wait satisfies the next. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      await step.waitForEvent("one", { type: "t", timeout: 300 });
    } catch (error) {
      await log("one-caught", seen(error));
    }
    await log("between");
    const got = await step.waitForEvent<string>("two", { type: "t", timeout: "5 seconds" });
    return got.payload;
  }
}

export default driven();
