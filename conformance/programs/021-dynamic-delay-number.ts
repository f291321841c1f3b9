/** Shows R-DLY-2: a delay function with constant backoff is used as it is. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do(
      "fails",
      { retries: { limit: 2, delay: ({ ctx }) => ctx.attempt * 600, backoff: "constant" } },
      async (ctx) => {
        await log(`attempt-${ctx.attempt}`);
        throw new Error(`E${ctx.attempt}`);
      },
    );
  }
}

export default driven();
