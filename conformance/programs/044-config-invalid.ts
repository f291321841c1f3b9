/** Shows K-20: configurations that are refused: the callback is not called, the error can be caught. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const configs: unknown[] = [
      { retries: { limit: 1 } },
      { retries: { delay: 1 } },
      { retries: {} },
      { retries: { limit: -1, delay: 0 } },
      { retries: { limit: Infinity, delay: 0 } },
      { retries: { limit: "1", delay: 0 } },
      { retries: { limit: 1, delay: -1 } },
      { retries: { limit: 1, delay: "soon" } },
      { retries: { limit: 1, delay: "5m" } },
      { retries: { limit: 1, delay: 0, backoff: "quadratic" } },
      { retries: { limit: 1, delay: 0, jitter: true } },
      { timeout: 0 },
      { timeout: -1 },
      { timeout: "never" },
      { unknown: 1 },
      { sensitive: true },
      { sensitive: "input" },
      "text",
      7,
      null,
      [],
    ];
    for (const [index, config] of configs.entries()) {
      try {
        await step.do(`config ${index}`, config as never, async () => {
          await log(`config-${index}-called`);
        });
      } catch (error) {
        await log(`config-${index}-caught`, seen(error));
      }
    }
  }
}

export default driven();
