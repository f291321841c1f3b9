/**
 * Shows R-NR-1, R-LC-2: after a caught NonRetryableError the engine counts that step as running for ever: a
 * pause never becomes `paused`.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("fatal", async () => {
        throw new NonRetryableError("m");
      });
    } catch {
      await log("caught");
    }
    await step.do("hold", async () => {
      await log("hold");
      await pass(300);
    });
    await step.do("next", async () => {
      await log("next");
    });
    return "end";
  }
}

export default driven();
