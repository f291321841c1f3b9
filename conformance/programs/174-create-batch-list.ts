/** Shows K-56, R-CR-8, DIFF-13: createBatch with a list: ids that exist and repeats are left out. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log(event.instanceId, event.payload);
    return event.payload;
  }
}

export default driven();
