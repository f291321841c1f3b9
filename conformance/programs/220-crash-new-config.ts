/** Shows K-53, R-RT-4: the configuration stored before a crash wins over the new code's. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const answer = await fetch("http://lifetime.example/");
    const later = (await answer.text()) === "second";
    await step.do("fails", { retries: { limit: later ? 5 : 1, delay: later ? 10 : 600, backoff: "constant" } }, async (ctx) => {
      await log(`attempt-${ctx.attempt}`, ctx.config);
      throw new Error("no");
    });
  }
}

export default driven();
