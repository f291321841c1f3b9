/** Shows R-LC-6: complete and errored instances cannot be terminated; pause and resume do nothing to them. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    if (event.payload === "fail") throw new Error("failed");
    return "done";
  }
}

export default driven();
