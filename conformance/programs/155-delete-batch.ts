/** Shows R-LC-11: deleteBatch: one entry for each position; bad ids refuse the whole call. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return event.payload;
  }
}

export default driven();
