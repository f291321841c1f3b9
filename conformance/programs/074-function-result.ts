/**
 * Shows K-23, R-RES-2, DIFF-10: a function as a result ends the instance: nothing catches it, nothing is
 * rolled back.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("first", async () => 1, {
      rollback: async () => {
        await log("rollback");
      },
    });
    try {
      await step.do("gives a function", { retries: { limit: 2, delay: 0 } }, async () => {
        await log("called");
        return (() => 1) as never;
      });
    } catch (error) {
      await log("caught", seen(error));
    }
    await log("after");
  }
}

export default driven();
