/** Shows R-RB-5, R-TO-2: a handler that overruns its timeout fails; the chain stops. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("s1", async () => 1, {
      rollback: async () => {
        await log("rollback-s1");
      },
    });
    await step.do("s2", async () => 2, {
      rollback: async () => {
        await log("rollback-s2");
        await pass(900);
        await log("rollback-s2-late");
      },
      rollbackConfig: { retries: { limit: 0, delay: 0 }, timeout: 300 },
    });
    throw new Error("top");
  }
}

export default driven();
