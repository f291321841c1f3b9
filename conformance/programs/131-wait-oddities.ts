/** Shows R-EV-4, DIFF-12: waits with odd arguments. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const tries: Record<string, () => Promise<unknown>> = {
      missing: () => (step.waitForEvent as (name: string) => Promise<unknown>)("w"),
      negative: () => step.waitForEvent("w", { type: "t", timeout: -1 }),
      text: () => step.waitForEvent("w", { type: "t", timeout: "100" as never }),
      unit: () => step.waitForEvent("w", { type: "t", timeout: "100 sec" as never }),
      words: () => step.waitForEvent("w", { type: "t", timeout: "soon" as never }),
      untyped: () => step.waitForEvent("w", { timeout: 100 } as never),
      spaced: () => step.waitForEvent("w", { type: "not a type!", timeout: 100 }),
    };
    for (const [kind, attempt] of Object.entries(tries)) {
      try {
        await attempt();
        await log(`${kind}-passed`);
      } catch (error) {
        await log(`${kind}-caught`, seen(error));
      }
    }
  }
}

export default driven();
