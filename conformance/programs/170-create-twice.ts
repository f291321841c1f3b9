/** Shows K-54, R-CR-2, R-CR-6, DIFF-01, F-CR-4: an id can be used once, also after the instance has ended. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run", event.payload);
    return event.payload;
  }
}

export default driven();
