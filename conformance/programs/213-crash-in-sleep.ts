/** Shows K-34, R-SL-2, F-SL-2: a sleep keeps its deadline over a crash. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("s", 4500);
    await log("awake");
  }
}

export default driven();
