/**
 * Shows F-RUN-2, R-PAR-1: a crash with parallel steps: finished ones keep their values, the others start
 * their next attempt.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values = await Promise.all(
      ["quick", "slow"].map((name) =>
        step.do(name, async (ctx) => {
          await log(`${name}-${ctx.attempt}`);
          if (name === "slow" && ctx.attempt === 1) await pass(600_000);
          return `${name}-${ctx.attempt}`;
        }),
      ),
    );
    return values;
  }
}

export default driven();
