/**
 * Shows K-33, R-SL-5, DIFF-04, F-SL-7: a crash after a finished sleepUntil: the instance fails at recovery.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const time = await step.do("choose", async () => Date.now() + 300);
    await step.sleepUntil("until", time);
    await log("awake");
    await step.sleep("long", 900);
  }
}

export default driven();
