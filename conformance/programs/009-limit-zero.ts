/** Shows K-09, R-RT-1: limit 0 is one attempt. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails", { retries: { limit: 0, delay: 300 } }, async () => {
      await log("attempt");
      throw new TypeError("no");
    });
  }
}

export default driven();
