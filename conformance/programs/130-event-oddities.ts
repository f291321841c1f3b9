/** Shows R-EV-8, DIFF-12: sendEvent with odd arguments, and to an instance that does not exist. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const got = await step.waitForEvent("w", { type: "x".repeat(120), timeout: "5 seconds" });
    return got.payload;
  }
}

export default driven();
