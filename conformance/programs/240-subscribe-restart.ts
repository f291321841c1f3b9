/**
 * Shows R-SUB-1, R-LC-8, R-LC-9: what is left of the events when an instance restarts, from the beginning and from a step.
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
    await step.do("one", async () => 1);
    await step.sleep("nap", 10);
    await step.do("two", async () => 2);
    return await step.do("three", async () => 3);
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
