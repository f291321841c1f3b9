/**
 * Shows R-SUB-1, DIFF-18: the events of an instance whose engine crashes in an attempt.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

interface Env {
  FLOW: Workflow;
}

interface Subscribable {
  subscribe(options?: unknown): Promise<{ next(): Promise<{ done?: boolean; value?: unknown }> }>;
}

/** An event without its time. */
function stable(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event, (key, value) => (key === "timestamp" ? "(varies)" : value)));
}

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("before", async () => 1);
    await step.do("hold", { retries: { limit: 0, delay: 0 } }, async (ctx) => {
      await log("attempt");
      if (ctx.attempt === 1) await pass(60_000);
      return ctx.attempt;
    });
    await step.waitForEvent("end", { type: "end" });
  }
}

export default driven({
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, id] = new URL(request.url).pathname.split("/");
    const instance = (await env.FLOW.get(id)) as unknown as Subscribable;
    try {
      const subscription = await instance.subscribe();
      const seenEvents: unknown[] = [];
      for (;;) {
        const { done, value } = await subscription.next();
        if (done) break;
        seenEvents.push(value);
      }
      return Response.json(seenEvents.map((one) => stable(one)));
    } catch (error) {
      return Response.json(seen(error));
    }
  },
});
