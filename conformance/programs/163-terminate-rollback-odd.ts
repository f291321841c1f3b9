/**
 * Shows R-LC-7, R-RB-6: terminate with rollback ends terminated also when a handler fails; rollback: false
 * runs none.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    await step.do("s1", async () => 1, {
      rollback: async () => {
        await log(`${event.payload}-rollback-s1`);
      },
    });
    await step.do("s2", async () => 2, {
      rollback: async () => {
        await log(`${event.payload}-rollback-s2`);
        throw new Error("cannot undo");
      },
      rollbackConfig: { retries: { limit: 0, delay: 0 } },
    });
    await log(`${event.payload}-sleeping`);
    await step.sleep("long", "10 minutes");
  }
}

export default driven();
