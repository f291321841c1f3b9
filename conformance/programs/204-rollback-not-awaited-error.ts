/**
 * Shows R-RB-2: handlers of steps that ran before a plain error in `run`, with a sleep and a wait between.
 */

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
    await step.do("one", async () => 1, undo("one"));
    await step.sleep("s", 50);
    await step.do("two", async () => ({ date: new Date(1000) }), undo("two"));
    try {
      await step.waitForEvent("w", { type: "t", timeout: 50 });
    } catch {
      throw { reason: "not an error" };
    }
  }
}

export default driven();
