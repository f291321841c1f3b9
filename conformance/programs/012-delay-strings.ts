/**
 * Shows R-RT-2, R-DLY-4: delays as text: numeric text is milliseconds, fractions of a second work, an
 * unknown unit counts as 1.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const delays = ["600", "0.6 seconds", "5 s", "600 sec"] as unknown as "1 second"[];
    for (const [index, delay] of delays.entries()) {
      try {
        await step.do(`delay ${index}`, { retries: { limit: 1, delay, backoff: "constant" } }, async (ctx) => {
          await log(`delay-${index}`, [ctx.attempt, (ctx.config.retries as { delay: unknown }).delay]);
          throw new Error("no");
        });
      } catch {
        await log("next");
      }
    }
  }
}

export default driven();
