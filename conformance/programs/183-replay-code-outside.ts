/**
 * Shows K-31, R-RUN-3, R-HIB-2, DIFF-06: code outside steps runs once in each lifetime; a sleep alone does
 * not end a lifetime here.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("outside-1");
    const a = await step.do("a", async () => {
      await log("a");
      return 1;
    });
    await log("outside-2");
    await step.sleep("s", 600);
    const b = await step.do("b", async () => {
      await log("b");
      await pass(400);
      return 2;
    });
    return [a, b];
  }
}

export default driven();
