/** Shows K-08, R-RT-3: backoff written as undefined is constant, delays 600, 600. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails", { retries: { limit: 2, delay: 600, backoff: undefined } }, async (ctx) => {
      await log(`attempt-${ctx.attempt}`);
      throw new Error(`E${ctx.attempt}`);
    });
  }
}

export default driven();
