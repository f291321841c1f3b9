/**
 * Shows K-43, R-EV-10, DIFF-07, F-EV-6: after a crash a consumed event is delivered again to the next wait
 * of its type.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const one = await step.waitForEvent<string>("one", { type: "t", timeout: "20 seconds" });
    await log("one", one.payload);
    await step.sleep("s", 600);
    try {
      const two = await step.waitForEvent<string>("two", { type: "t", timeout: 600 });
      await log("two", two.payload);
    } catch (error) {
      await log("two-caught", seen(error));
    }
  }
}

export default driven();
