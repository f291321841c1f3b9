/** Shows R-RUN-1: a left-behind step that fails is retried although the instance is complete. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    void step
      .do("left behind", { retries: { limit: 2, delay: 300, backoff: "constant" } }, async (ctx) => {
        await log(`attempt-${ctx.attempt}`);
        throw new Error("no");
      })
      .catch(() => {});
    await step.do("wait for its start", async () => {
      await pass(100);
    });
    return "returned";
  }
}

export default driven();
