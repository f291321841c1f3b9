/**
 * Shows R-RB-1, R-RB-4: the context of a handler shows the last forward attempt; a caught and failed step
 * is eligible.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("flaky", { retries: { limit: 2, delay: 0 } }, async (ctx) => {
      if (ctx.attempt < 3) throw new Error("again");
      return "third";
    }, {
      rollback: async ({ ctx, output }) => {
        await log("undo-flaky", [ctx.attempt, output, ctx.config]);
      },
    });
    await step.sleep("no handler here", 1);
    await step.do("no handler", async () => 1);
    throw new Error("top");
  }
}

export default driven();
