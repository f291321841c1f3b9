/**
 * Shows K-40, R-EV-4: without a timeout a wait is still there after a second; timeout 0 means the default
 * as well.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const first = await step.waitForEvent<number>("w", { type: "t" });
    await log("first", first.payload);
    const second = await step.waitForEvent<number>("z", { type: "t", timeout: 0 });
    return [first.payload, second.payload];
  }
}

export default driven();
