/**
 * Shows K-20, R-TO-1: timeout written as undefined passes validation; the callback runs and every attempt
 * fails with TypeError.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("n", { retries: { limit: 1, delay: 0 }, timeout: undefined }, async (ctx) => {
        await log(`called-${ctx.attempt}`, ctx.config);
        return "value";
      });
    } catch (error) {
      await log("caught", seen(error));
    }
  }
}

export default driven();
