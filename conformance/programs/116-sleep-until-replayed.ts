/** Shows K-33, R-SL-5, DIFF-04: a replay over a finished sleepUntil fails: its time is in the past. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const time = await step.do("choose", async () => Date.now() + 300);
    await step.sleepUntil("until", time);
    await log("awake");

    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });

    return "end";
  }
}

export default driven();
