/** Shows K-32, R-SL-4: not caught, it ends the instance. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.sleepUntil("past", new Date(1000));
  }
}

export default driven();
