/** Shows R-NR-2: an uncaught NonRetryableError cuts off a parallel step. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await Promise.all([
      step.do("slow", async () => {
        await log("slow-start");
        await pass(600);
        await log("slow-write");
      }),
      step.do("fatal", async () => {
        await pass(200);
        throw new NonRetryableError("stop");
      }),
    ]);
  }
}

export default driven();
