/**
 * Shows R-CR-2, DIFF-01, DIFF-02: create with the id of a dormant instance is refused; resume does nothing
 * to it; an event wakes it with its own payload.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    await log("run", event.payload);
    await step.sleep("s", 600);
    return event.payload;
  }
}

export default driven();
