/** Shows K-06, R-RT-2: exponential backoff, delays 600, 1200, 2400. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails", { retries: { limit: 3, delay: 600, backoff: "exponential" } }, async (ctx) => {
      await log(`attempt-${ctx.attempt}`);
      throw new Error(`E${ctx.attempt}`);
    });
  }
}

export default driven();
