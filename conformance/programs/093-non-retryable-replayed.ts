/**
 * Shows K-28, R-NR-3, DIFF-19: a NonRetryableError is not stored: a replay (forced by a restart from a
 * later step) calls the callback again.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("fatal", async (ctx) => {
        await log("called", ctx.attempt);
        throw new NonRetryableError("m");
      });
    } catch {
      await log("caught");
    }
    await step.do("later", async () => {
      await log("later");
    });
    return "end";
  }
}

export default driven();
