/** Shows R-RB-1, R-RB-3, R-NEST-1: handlers of nested steps: the inner one, started later, first. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const undo = (name: string) => ({
      rollback: async ({ output }: { output?: unknown }) => {
        await log(`undo-${name}`, output);
      },
    });
    await step.do("outer", async () => {
      await step.do("inner", async () => "inner", undo("inner"));
      return "outer";
    }, undo("outer"));
    throw new Error("top");
  }
}

export default driven();
