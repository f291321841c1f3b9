/** Shows R-SUB-1: a subscription that begins before the end goes on until the end. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

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
    await step.do("one", async () => {
      await log("one");
    });
    await step.sleep("nap", 900);
    return await step.do("two", async () => 2);
  }
}

export default driven({
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, action, id, cursor] = new URL(request.url).pathname.split("/");
    const kinds: Record<string, unknown> = {
      all: cursor === undefined ? undefined : { cursor: Number(cursor) },
      filtered: { filter: ["step_completed", "attempt_errored"] },
      wrong: { filter: ["no such type"] },
      odd: { from: 1 },
    };
    const options = kinds[action];
    try {
      const instance = (await env.FLOW.get(id)) as unknown as Subscribable;
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
