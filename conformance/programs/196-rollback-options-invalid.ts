/** Shows R-RB-1: wrong rollback options are refused by the step, and can be caught. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const options: unknown[] = [
      "text",
      7,
      null,
      {},
      { rollback: "no function" },
      { rollback: async () => {}, rollbackConfig: { retries: { limit: 1 } } },
      { rollback: async () => {}, rollbackConfig: { timeout: 0 } },
      { rollback: async () => {}, rollbackConfig: "text" },
      { rollback: async () => {}, unknown: 1 },
    ];
    for (const [index, option] of options.entries()) {
      try {
        await step.do(`options ${index}`, async () => {
          await log(`options-${index}-called`);
        }, option as never);
      } catch (error) {
        await log(`options-${index}-caught`, seen(error));
      }
    }
  }
}

export default driven();
