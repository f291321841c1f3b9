/**
 * Shows R-SUB-1: the events that a subscription to a complete instance replays, from the beginning, after a
 * cursor, and by type.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { seen } from "../lib/log.ts";

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
    await step.do("one", async () => ({ n: 1 }));
    await step.sleep("nap", 10);
    await step.do("secret", { sensitive: "output" }, async () => "hidden");
    await step.do("fails", { retries: { limit: 1, delay: 0 } }, async (ctx) => {
      if (ctx.attempt === 1) throw new Error("once");
      return 2;
    });
    return "end";
  }
}

export default driven({
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, action, id, cursor] = new URL(request.url).pathname.split("/");
    const instance = (await env.FLOW.get(id)) as unknown as Subscribable;
    const kinds: Record<string, unknown> = {
      all: cursor === undefined ? undefined : { cursor: Number(cursor) },
      filtered: { filter: ["step_completed", "attempt_errored"] },
      wrong: { filter: ["no such type"] },
      odd: { from: 1 },
    };
    const options = kinds[action];
    try {
      const subscription = await instance.subscribe(options);
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
