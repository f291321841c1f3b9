/** Shows R-RB-5: a handler is retried by its own configuration, and by the default one. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("s1", async () => 1, {
      rollback: async ({ ctx }) => {
        await log("rollback-s1", ctx.attempt);
      },
    });
    let tries = 0;
    await step.do("s2", async () => 2, {
      rollback: async () => {
        tries += 1;
        await log("rollback-s2", tries);
        if (tries < 3) throw new Error("not yet");
      },
      rollbackConfig: { retries: { limit: 3, delay: 600, backoff: "constant" } },
    });
    throw new Error("top");
  }
}

export default driven();
