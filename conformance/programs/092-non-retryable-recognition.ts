/**
 * Shows K-27, R-ERR-1: what counts as non-retryable: the name, or a message that starts with it; not a new
 * name, not a cause.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    class Sub extends NonRetryableError {
      extra = 1;
    }
    const kinds: Record<string, () => unknown> = {
      renamed: () => new NonRetryableError("m", "Custom"),
      subclass: () => new Sub("m"),
      named: () => Object.assign(new Error("m"), { name: "NonRetryableError" }),
      prefixed: () => new Error("NonRetryableError: m"),
      glued: () => new TypeError("NonRetryableErrorish"),
      cause: () => new Error("m", { cause: new NonRetryableError("inner") }),
      object: () => ({ name: "NonRetryableError", message: "m" }),
      text: () => "NonRetryableError: m",
      empty: () => new NonRetryableError(""),
    };
    for (const [kind, make] of Object.entries(kinds)) {
      try {
        await step.do(kind, { retries: { limit: 2, delay: 0 } }, async (ctx) => {
          await log(`${kind}-${ctx.attempt}`);
          throw make();
        });
      } catch (error) {
        await log(`${kind}-caught`, seen(error));
      }
    }
  }
}

export default driven();
