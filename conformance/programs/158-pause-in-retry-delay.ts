/**
 * Shows R-LC-2, R-LC-4, DIFF-05: a pause in a retry delay: the delay is longer by the pause, the attempt
 * number goes on.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      await step.do("fails once", { retries: { limit: 1, delay: 2400 } }, async (ctx) => {
        await log("attempt", ctx.attempt);
        if (ctx.attempt === 1) throw new Error("once");
      });
    } catch (error) {
      await log("caught", seen(error));
      throw error;
    }
    return "end";
  }
}

export default driven();
