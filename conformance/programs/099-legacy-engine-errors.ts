/** Shows R-ERR-2, R-NR-2: errors made by the engine as user code sees them without enhanced serialization. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const tries: Record<string, () => Promise<unknown>> = {
      timeout: () => step.do("slow", { retries: { limit: 0, delay: 0 }, timeout: 100 }, () => pass(300)),
      wait: () => step.waitForEvent("never", { type: "t", timeout: 100 }),
      name: () => step.do("a\u0000b", async () => {}),
      config: () => step.do("config", { timeout: 0 }, async () => {}),
      delay: () =>
        step.do("delay", { retries: { limit: 1, delay: () => "soon" as never } }, async () => {
          throw new Error("no");
        }),
      past: () => step.sleepUntil("past", new Date(1000)),
    };
    for (const [kind, attempt] of Object.entries(tries)) {
      try {
        await attempt();
      } catch (error) {
        await log(kind, seen(error));
      }
    }
    throw new NonRetryableError("hidden");
  }
}

export default driven();
