/**
 * Shows R-ST-2, R-LC-2, R-RB-7: a pause while a handler works takes effect after it; after resume the
 * rollback goes on.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const undo = (name: string) => ({
      rollback: async () => {
        await log(`undo-${name}`);
        await pass(500);
      },
    });
    await step.do("s1", async () => {
      await log("s1");
    }, undo("s1"));
    await step.do("s2", { retries: { limit: 0, delay: 0 } }, async () => {
      await log("s2");
      throw new Error("s2 failed");
    }, undo("s2"));
  }
}

export default driven();
