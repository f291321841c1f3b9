/**
 * Shows K-46, R-RT-4, R-RT-5, F-DO-4: a crash in an attempt: the next attempt starts at once, also beyond
 * the limit.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return await step.do("work", { retries: { limit: 0, delay: "1 hour" } }, async (ctx) => {
      await log("attempt", ctx.attempt);
      if (ctx.attempt < 3) await pass(600_000);
      return ctx.attempt;
    });
  }
}

export default driven();
