/** Shows R-RES-3: a circular result: one call, and a TypeError. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("loop", { retries: { limit: 2, delay: 0 } }, async (ctx) => {
        await log(`attempt-${ctx.attempt}`);
        const loop: { self?: unknown } = {};
        loop.self = loop;
        return loop as never;
      });
    } catch (error) {
      await log("caught", (seen(error) as { name: string }).name);
    }
    return "end";
  }
}

export default driven();
