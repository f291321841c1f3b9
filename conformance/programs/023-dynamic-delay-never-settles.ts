/** Shows K-13, R-DLY-3: a delay function that does not settle fails the step after 5 s. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do(
      "fails",
      { retries: { limit: 2, delay: () => new Promise<number>(() => {}) } },
      async (ctx) => {
        await log(`attempt-${ctx.attempt}`);
        throw new Error(`E${ctx.attempt}`);
      },
    );
  }
}

export default driven();
