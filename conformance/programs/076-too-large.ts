/**
 * Shows K-24, R-RES-4, DIFF-11: a result that is too large fails the attempt, which is retried; the error
 * can be caught.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("large", { retries: { limit: 2, delay: 0 } }, async (ctx) => {
        await log(`attempt-${ctx.attempt}`);
        return "x".repeat(24 * 1024 * 1024);
      });
    } catch (error) {
      await log("caught", seen(error));
    }
    const fits = await step.do("one mebibyte and one", async () => "y".repeat(1024 * 1024 + 1));
    return fits.length;
  }
}

export default driven();
