/** Shows R-RT-1: limit 1.5 is compared as a number: two attempts. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fails", { retries: { limit: 1.5, delay: 0 } }, async (ctx) => {
      await log("attempt", ctx.attempt);
      throw new Error("no");
    });
  }
}

export default driven();
