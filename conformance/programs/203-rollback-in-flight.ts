/**
 * Shows R-RB-1, F-RB-7: a parallel step that is still working when `run` throws is eligible: its handler
 * runs without output.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const undo = (name: string) => ({
      rollback: async ({ output }: { output?: unknown }) => {
        await log(`undo-${name}`, output);
      },
    });
    await Promise.all([
      step.do("slow", async () => {
        await log("slow-start");
        await pass(900);
        await log("slow-write");
        return "slow";
      }, undo("slow")),
      step.do("bad", { retries: { limit: 0, delay: 0 } }, async () => {
        await pass(300);
        throw new Error("bad");
      }, undo("bad")),
    ]);
  }
}

export default driven();
