/** Shows K-35, R-SL-2, F-SL-3: a sleep that is overdue at recovery ends at once. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("s", 600);
    await log("awake");
  }
}

export default driven();
