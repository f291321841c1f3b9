/**
 * Shows R-DLY-5, F-DO-8: after a crash in a dynamic delay the parked time (1 s) counts, not the computed
 * one.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails once", { retries: { limit: 1, delay: () => 600_000 } }, async (ctx) => {
      await log(`attempt-${ctx.attempt}`);
      if (ctx.attempt === 1) throw new Error("once");
    });
  }
}

export default driven();
