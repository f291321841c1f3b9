/** Shows R-CR-9: createBatch with a count: as many instances with new ids and the same params. */

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
