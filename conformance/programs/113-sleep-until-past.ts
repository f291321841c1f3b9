/** Shows K-32, R-SL-4: sleepUntil a time in the past is an error that can be caught. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (const time of [new Date(Date.now() - 1000), Date.now() - 1000, 0]) {
      try {
        await step.sleepUntil("past", time);
      } catch (error) {
        await log("caught", seen(error));
      }
    }
    return "end";
  }
}

export default driven();
