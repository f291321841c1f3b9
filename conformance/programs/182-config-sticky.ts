/** Shows K-53, R-DO-1: the configuration stored at the first attempt wins over the code's later one. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const answer = await fetch("http://lifetime.example/");
    const later = (await answer.text()) === "second";
    await log(`run-${later ? 2 : 1}`);
    try {
      await step.do("fails", { retries: { limit: later ? 5 : 1, delay: later ? 10 : 1800, backoff: "constant" } }, async (ctx) => {
        await log(`attempt-${ctx.attempt}`, ctx.config);
        throw new Error("no");
      });
    } catch (error) {
      await log("caught", seen(error));
      throw error;
    }
  }
}

export default driven();
