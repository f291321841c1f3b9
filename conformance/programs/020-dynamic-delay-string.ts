/** Shows K-11, R-DLY-1, R-DLY-2: a delay function that gives text; its value is still doubled. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do(
      "fails",
      {
        retries: {
          limit: 2,
          delay: async ({ ctx, error }) => {
            await log(`delay-${ctx.attempt}`, { ctx, message: error.message, name: error.name });
            return "0.6 seconds" as const;
          },
        },
      },
      async (ctx) => {
        await log(`attempt-${ctx.attempt}`, ctx.config);
        throw new Error(`E${ctx.attempt}`);
      },
    );
  }
}

export default driven();
