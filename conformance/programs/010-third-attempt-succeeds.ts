/** Shows K-10, R-RT-1: two failures, then a value; ctx.attempt counts from 1. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return await step.do("flaky", { retries: { limit: 5, delay: 600, backoff: "constant" } }, async (ctx) => {
      await log("attempt", ctx.attempt);
      if (ctx.attempt < 3) throw new Error("again");
      return "v";
    });
  }
}

export default driven();
