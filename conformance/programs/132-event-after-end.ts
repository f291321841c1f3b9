/** Shows K-45, R-EV-8, DIFF-08, F-EV-11: an event to an instance that has ended is accepted and ignored. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    if (event.payload === "fail") throw new Error("failed");
    if (event.payload === "long") await step.sleep("long", "10 minutes");
    return "done";
  }
}

export default driven();
