/** Shows K-03, R-RT-1, R-RT-2, DIFF-03: the default configuration: six attempts, 1 s doubled each time. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails", async (ctx) => {
      await log(`attempt-${ctx.attempt}`, ctx.config);
      throw new Error(`E${ctx.attempt}`);
    });
  }
}

export default driven();
