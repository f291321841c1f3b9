/**
 * Shows R-LC-8, F-LC-7: restart in the middle of a step: the old attempt is cut off, everything starts
 * anew.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");
    await step.do("work", async (ctx) => {
      await log("work", ctx.attempt);
      await pass(700);
      await log("worked");
    });
    return "end";
  }
}

export default driven();
