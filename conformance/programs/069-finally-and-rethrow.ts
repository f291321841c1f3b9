/** Shows R-RUN-2, R-NR-1: catch, finally and another error thrown from a catch block. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      try {
        await step.do("fails", { retries: { limit: 0, delay: 0 } }, async () => {
          throw new Error("first");
        });
      } finally {
        await step.do("cleanup", async () => {
          await log("cleanup");
        });
      }
    } catch (error) {
      await log("caught", seen(error));
      throw new SyntaxError(`wrapped ${(error as Error).message}`);
    }
  }
}

export default driven();
