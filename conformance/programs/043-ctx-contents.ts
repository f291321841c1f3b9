/**
 * Shows R-DO-1, R-DLY-1: what a callback is told: step, attempt and the resolved configuration; changing it
 * changes nothing.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const configs = [
      undefined,
      {},
      { timeout: "5 minutes" },
      { retries: { limit: 1, delay: "1 second" } },
      { retries: { limit: 1, delay: 10, backoff: "linear" }, timeout: 5000 },
      { sensitive: "output" },
    ];
    for (const [index, config] of configs.entries()) {
      const value = await step.do("told", config as never, async (ctx) => {
        await log(`ctx-${index}`, ctx);
        ctx.step.name = "changed";
        ctx.config.retries!.limit = 99;
        return index;
      });
      await log(`value-${index}`, value);
    }
  }
}

export default driven();
