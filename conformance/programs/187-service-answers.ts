/**
 * Shows R-DO-6, R-RT-1: a step over a service that fails, is slow, then answers: timeout and failure both
 * are retried.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return await step.do("ask", { retries: { limit: 3, delay: 0 }, timeout: 600 }, async (ctx) => {
      await log("attempt", ctx.attempt);
      const answer = await fetch("http://api.example/thing", { method: "PUT", body: `try ${ctx.attempt}` });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return await answer.text();
    });
  }
}

export default driven();
