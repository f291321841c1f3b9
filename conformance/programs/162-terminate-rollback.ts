/** Shows K-70, R-LC-7: terminate with rollback: handlers in reverse order, with an error named Terminated. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (const name of ["s1", "s2"]) {
      await step.do(name, async () => `value of ${name}`, {
        rollback: async ({ ctx, error, output, stepName }) => {
          await log(`rollback-${name}`, [ctx.step, ctx.attempt, seen(error), output, stepName]);
        },
      });
    }
    await log("sleeping");
    await step.sleep("long", "10 minutes");
  }
}

export default driven();
