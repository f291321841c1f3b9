/**
 * Shows K-18, R-RUN-2, R-PAR-1: one of two parallel steps fails: the instance errs at once, the other step
 * still writes.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await Promise.all([
      step.do("bad", { retries: { limit: 0, delay: 0 } }, async () => {
        throw new Error("b");
      }),
      step.do("slow", async () => {
        await log("slow-start");
        await pass(600);
        await log("slow-write");
        return "done";
      }),
    ]);
  }
}

export default driven();
