/** Shows K-50, F-DO-8, R-RT-5: a retry delay keeps its deadline over a crash. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails once", { retries: { limit: 1, delay: 4500 } }, async (ctx) => {
      await log(`attempt-${ctx.attempt}`);
      if (ctx.attempt === 1) throw new Error("once");
    });
  }
}

export default driven();
