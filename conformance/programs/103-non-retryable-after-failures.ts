/** Shows R-NR-1: two ordinary failures, then a NonRetryableError. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("work", { retries: { limit: 5, delay: 0 } }, async (ctx) => {
      await log("attempt", ctx.attempt);
      if (ctx.attempt < 3) throw new Error("again");
      throw new NonRetryableError("enough");
    });
  }
}

export default driven();
