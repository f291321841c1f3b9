/**
 * Shows R-RB-5, R-RB-6: a NonRetryableError in a handler ends the chain at once; one thrown by a step
 * starts a rollback.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("s1", async () => 1, {
      rollback: async () => {
        await log("rollback-s1");
      },
    });
    await step.do("s2", async () => 2, {
      rollback: async ({ error }) => {
        await log("rollback-s2", seen(error));
        throw new NonRetryableError("cannot");
      },
      rollbackConfig: { retries: { limit: 3, delay: 0 } },
    });
    await step.do("s3", async () => {
      throw new NonRetryableError("s3 is fatal");
    });
  }
}

export default driven();
