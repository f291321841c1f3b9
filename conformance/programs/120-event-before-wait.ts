/** Shows K-37, R-EV-2, R-EV-4: an event sent before the wait is kept for it. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("first", 600);
    await log("awake");
    const got = await step.waitForEvent<string>("w", { type: "t", timeout: "5 seconds" });
    await log("event", [Object.keys(got).sort(), got.payload, got.type, got.timestamp instanceof Date]);
    return got.payload;
  }
}

export default driven();
