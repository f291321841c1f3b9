/** Shows R-RB-3: the order is that of the starts, not of the ends. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const undo = (name: string) => ({
      rollback: async ({ output }: { output?: unknown }) => {
        await log(`rollback-${name}`, output);
      },
    });
    await Promise.all([
      step.do("first", async () => {
        await pass(600);
        return "first";
      }, undo("first")),
      step.do("second", async () => {
        await pass(200);
        return "second";
      }, undo("second")),
    ]);
    throw new Error("top");
  }
}

export default driven();
