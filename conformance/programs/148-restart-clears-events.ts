/** Shows K-63, R-LC-8, F-EV-12: a restart forgets buffered events. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("first", 600);
    try {
      const got = await step.waitForEvent<string>("w", { type: "t", timeout: 600 });
      await log("got", got.payload);
    } catch (error) {
      await log("caught", seen(error));
    }
  }
}

export default driven();
