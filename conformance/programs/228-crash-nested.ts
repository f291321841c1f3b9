/** Shows R-ID-6, R-NEST-1: after a crash in the outer step its inner step is found by count 1. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return await step.do("outer", async (outer) => {
      await log("outer", outer.attempt);
      const inner = await step.do("inner", async (ctx) => {
        await log("inner", [ctx.step.count, ctx.attempt]);
        return ctx.step.count;
      });
      if (outer.attempt === 1) await pass(600_000);
      return inner;
    });
  }
}

export default driven();
