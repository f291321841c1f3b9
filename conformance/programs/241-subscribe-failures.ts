/**
 * Shows R-SUB-1, R-NR-1, R-DLY-3, R-TO-2: the events of steps that fail in different ways, and of a rollback that fails.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { pass, seen } from "../lib/log.ts";

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
    const undo = {
      rollback: async () => {
        throw new Error("cannot undo");
      },
      rollbackConfig: { retries: { limit: 1, delay: 0 } },
    };
    await step.do("kept", async () => [1], undo);
    const hard = step.do("hard", async () => {
      throw new NonRetryableError("never");
    });
    await hard.catch(() => undefined);
    const delayed = { retries: { limit: 1, delay: () => 5, backoff: "constant" as const } };
    await step.do("delayed", delayed, async () => { throw new Error("again"); }).catch(() => undefined);
    const broken = {
      retries: {
        limit: 1,
        delay: () => {
          throw new Error("no delay");
        },
      },
    };
    await step.do("broken", broken, async () => { throw new Error("first"); }).catch(() => undefined);
    const short = { timeout: 50, retries: { limit: 0, delay: 0 } };
    await step.do("slow", short, async () => await pass(400)).catch(() => undefined);
    await step.sleepUntil("past", 1).catch(() => undefined);
    await step.do("odd", { retries: { limit: 0, delay: 0 } }, async () => { throw "text"; });
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
