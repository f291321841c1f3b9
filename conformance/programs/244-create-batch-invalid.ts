/** Shows R-CR-8: a list with an invalid id creates nothing. */

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
