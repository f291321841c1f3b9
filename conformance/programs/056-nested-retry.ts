/**
 * Shows K-19, R-ID-6, R-NEST-2: the outer step fails once; its inner step runs again under the next count.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return await step.do("outer", { retries: { limit: 1, delay: 0 } }, async (outer) => {
      await log(`outer-${outer.attempt}`);
      const inner = await step.do("inner", async (ctx) => {
        await log("inner", ctx.step);
        return ctx.step.count;
      });
      if (outer.attempt === 1) throw new Error("once");
      return inner;
    });
  }
}

export default driven();
