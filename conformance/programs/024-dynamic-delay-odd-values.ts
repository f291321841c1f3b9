/**
 * Shows R-DLY-4: what a delay function may give: null and empty text are 0, other odd values fail the step.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const odd = [null, "", "300", undefined, "soon", -1, Infinity, NaN, {}, true];
    for (const [index, value] of odd.entries()) {
      try {
        await step.do(
          `odd ${index}`,
          { retries: { limit: 1, delay: () => value as never, backoff: "constant" } },
          async (ctx) => {
            await log(`odd-${index}-attempt-${ctx.attempt}`);
            throw new Error("no");
          },
        );
      } catch (error) {
        await log(`odd-${index}-caught`, seen(error));
      }
    }
  }
}

export default driven();
