/**
 * Shows K-14, R-TO-1, R-TO-2, R-TO-3, R-TO-4: a callback that overruns its timeout goes on working, also
 * after the instance has ended.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("slow", { retries: { limit: 1, delay: 0 }, timeout: 600 }, async (ctx) => {
      await log(`start-${ctx.attempt}`);
      await pass(1800);
      await log(`write-${ctx.attempt}`);
      return "late";
    });
  }
}

export default driven();
