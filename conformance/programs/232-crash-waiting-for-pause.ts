/**
 * Shows F-LC-5, R-LC-2: a crash while waiting for a pause: the instance is paused when it is woken; the
 * attempt is repeated after resume.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("work", async (ctx) => {
      await log("attempt", ctx.attempt);
      if (ctx.attempt === 1) await pass(600_000);
    });
    return "end";
  }
}

export default driven();
