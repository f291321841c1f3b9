/**
 * Shows R-RES-3, DIFF-10: results that cannot cross: symbols, class instances, promises, weak maps;
 * ordinary failures that are retried.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    class Point {
      constructor(readonly x: number) {}
    }
    const makers: Record<string, () => unknown> = {
      symbol: () => Symbol("s"),
      instance: () => new Point(1),
      weak: () => new WeakMap(),
      nested: () => ({ inner: new Point(2) }),
    };
    for (const [kind, make] of Object.entries(makers)) {
      try {
        const value = await step.do(kind, { retries: { limit: 1, delay: 0 } }, async (ctx) => {
          await log(`${kind}-attempt-${ctx.attempt}`);
          return make() as never;
        });
        await log(`${kind}-value`, value);
      } catch (error) {
        await log(`${kind}-caught`, seen(error));
      }
    }
  }
}

export default driven();
