/** Shows K-12, R-DLY-3: a delay function that throws fails the step at once, with its own error. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do(
        "fails",
        {
          retries: {
            limit: 2,
            delay: () => {
              throw new Error("no delay");
            },
          },
        },
        async (ctx) => {
          await log(`attempt-${ctx.attempt}`);
          throw new Error(`E${ctx.attempt}`);
        },
      );
    } catch (error) {
      await log("caught", seen(error));
      throw error;
    }
  }
}

export default driven();
