/** Shows R-NR-1, R-NEST-2: a NonRetryableError of an inner step also ends the outer step without a retry. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("outer", { retries: { limit: 2, delay: 0 } }, async (outer) => {
        await log("outer", outer.attempt);
        await step.do("inner", { retries: { limit: 2, delay: 0 } }, async (ctx) => {
          await log("inner", ctx.attempt);
          throw new NonRetryableError("inner is fatal");
        });
      });
    } catch (error) {
      await log("caught", seen(error));
    }
    return "end";
  }
}

export default driven();
