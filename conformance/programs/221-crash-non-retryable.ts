/**
 * Shows K-28, R-NR-3, DIFF-19, F-DO-11: after a crash the callback that threw NonRetryableError is called
 * again, and may succeed.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    let outcome = "value";
    try {
      await step.do("fatal", async (ctx) => {
        await log("called", ctx.attempt);
        if (ctx.attempt === 1) throw new NonRetryableError("m");
      });
    } catch {
      outcome = "caught";
    }
    await log(outcome);
    await step.sleep("s", 600);
    return outcome;
  }
}

export default driven();
