/** Shows R-CR-1: payloads: left out, null, undefined and every kind of value. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log(event.instanceId, [event.payload, Object.keys(event).sort(), event.timestamp instanceof Date, typeof event.workflowName]);
  }
}

export default driven();
