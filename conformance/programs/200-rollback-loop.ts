/** Shows R-RB-3, R-RB-4: steps of one name in a loop are rolled back one by one, with their counts. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (let index = 0; index < 3; index += 1) {
      await step.do("charge", async () => `charge ${index}`, {
        rollback: async ({ ctx, output }) => {
          await log("refund", [ctx.step.count, output]);
        },
      });
    }
    throw new Error("top");
  }
}

export default driven();
