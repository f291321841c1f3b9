/**
 * Shows K-36, R-LC-4, R-LC-5, DIFF-05: a pause in a sleep: at once, visible to user code; the sleep is
 * longer by the pause.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      await step.sleep("s", 2400);
      await log("awake");
    } catch (error) {
      await log("caught", seen(error));
      throw error;
    } finally {
      await log("finally");
    }
    return "end";
  }
}

export default driven();
