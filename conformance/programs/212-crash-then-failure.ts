/** Shows K-49, R-RT-4, F-DO-9: after a crash the attempt beyond the limit may fail: then the step fails. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("work", { retries: { limit: 0, delay: 0 } }, async (ctx) => {
      await log("attempt", ctx.attempt);
      if (ctx.attempt < 2) await pass(600_000);
      throw new Error(`E${ctx.attempt}`);
    });
  }
}

export default driven();
