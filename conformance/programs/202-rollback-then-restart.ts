/** Shows R-LC-8, R-RB-7: after a rollback a restart runs everything again, and rolls back again. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");
    await step.do("s1", async () => "one", {
      rollback: async ({ output }) => {
        await log("undo", output);
      },
    });
    throw new Error("top");
  }
}

export default driven();
