/** Shows R-TO-2, R-RT-2: the retry delay starts when the timeout fires. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("slow", { retries: { limit: 1, delay: 600, backoff: "constant" }, timeout: 600 }, async (ctx) => {
      await log(`start-${ctx.attempt}`);
      await new Promise(() => {});
    });
  }
}

export default driven();
