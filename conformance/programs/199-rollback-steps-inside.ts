/** Shows R-RB-2: a step called inside a handler is refused. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("s1", async () => 1, {
      rollback: async () => {
        await log("rollback-s1");
        try {
          await step.do("inside", async () => {
            await log("inside");
          });
        } catch (error) {
          await log("inside-caught", (seen(error) as { name: string }).name);
        }
      },
    });
    throw new Error("top");
  }
}

export default driven();
