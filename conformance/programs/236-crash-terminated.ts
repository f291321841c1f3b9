/** Shows R-RUN-4, R-LC-6: terminal instances stay what they are after a crash and a wake-up call. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    if (event.payload === "fail") throw new Error("failed");
    if (event.payload === "hang") await step.sleep("s", "1 hour");
    return "done";
  }
}

export default driven();
