/**
 * Shows R-LC-9, R-NEST-1: restart from a nested step keeps the value of its outer step; counts of later
 * steps of the name shift.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const outer = await step.do("outer", async () => {
      await log("outer");
      return await step.do("n", async (ctx) => {
        await log("n-inner", ctx.step.count);
        return "inner";
      });
    });
    const later = await step.do("n", async (ctx) => {
      await log("n-later", ctx.step.count);
      return "later";
    });
    await log("end", [outer, later]);
    return [outer, later];
  }
}

export default driven();
