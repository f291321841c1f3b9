/** Shows R-NEST-2: retry budgets of nested steps multiply. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("outer", { retries: { limit: 1, delay: 0 } }, async (outer) => {
      await step.do("inner", { retries: { limit: 1, delay: 0 } }, async (ctx) => {
        await log("inner", [outer.attempt, ctx.step.count, ctx.attempt]);
        throw new Error("inner failed");
      });
    });
  }
}

export default driven();
