/**
 * Shows R-SL-1, R-SL-4: durations that cannot be read, and times that are no times, are errors that can be
 * caught.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const tries: Record<string, () => Promise<void>> = {
      words: () => step.sleep("s", "soon" as never),
      glued: () => step.sleep("s", "5minutes" as never),
      missing: () => (step.sleep as (name: string) => Promise<void>)("s"),
      nil: () => step.sleep("s", null as never),
      nan: () => step.sleep("s", NaN),
      text: () => step.sleepUntil("s", "2099-01-01" as never),
      invalid: () => step.sleepUntil("s", new Date(NaN)),
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
