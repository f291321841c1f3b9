/** Shows K-57, R-CR-9: createBatch with instances: errors by position. */

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
