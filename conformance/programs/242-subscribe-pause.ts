/**
 * Shows R-SUB-1, R-LC-2, R-LC-3, R-RES-2: the events of a pause that is called off, of one in a sleep, and of a result that cannot be stored.
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
    await step.do("hold", async () => {
      await log("hold");
      await pass(900);
    });
    await log("held");
    await step.sleep("nap", 900);
    await log("slept");
    await step.do("odd", async () => (() => 1) as unknown as string);
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
