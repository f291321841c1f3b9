/**
 * Shows K-48, R-HIB-2, R-HIB-3, R-DO-2, DIFF-09, F-RUN-1, F-DO-6: after a crash nothing happens until some
 * call wakes the instance; then finished steps are not repeated.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<{ n: number }>, step: WorkflowStep) {
    await log("run", event.payload);
    (event.payload as { n: number }).n += 1;
    const a = await step.do("a", async (ctx) => {
      await log("a", ctx.attempt);
      return "a";
    });
    await step.sleep("short", 600);
    await log("awake");
    return a;
  }
}

export default driven();
