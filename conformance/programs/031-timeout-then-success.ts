/** Shows K-15, R-TO-3: the late result of the first attempt is ignored, its write happens. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const value = await step.do("slow once", { retries: { limit: 1, delay: 0 }, timeout: 600 }, async (ctx) => {
      await log(`start-${ctx.attempt}`);
      if (ctx.attempt === 1) {
        await pass(1800);
        await log("late-write");
        return "late";
      }
      return "ok";
    });
    await log("value", value);
    await step.sleep("stay", 2000);
    return value;
  }
}

export default driven();
