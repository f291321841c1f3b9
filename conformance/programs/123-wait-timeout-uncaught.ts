/** Shows K-40, R-EV-5: a wait that times out and is not caught ends the instance. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.waitForEvent("w", { type: "t", timeout: "1.2 seconds" });
  }
}

export default driven();
