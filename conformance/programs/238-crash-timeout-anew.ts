/** Shows R-TO-6: an attempt after a crash gets its whole timeout. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("work", { retries: { limit: 1, delay: 0 }, timeout: 1500 }, async (ctx) => {
      await log(`attempt-${ctx.attempt}`);
      await pass(ctx.attempt === 1 ? 600_000 : 900);
      await log("worked");
    });
  }
}

export default driven();
