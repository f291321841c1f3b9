/**
 * Shows R-LC-6, DIFF-17: terminate during a sleep, a wait and a retry delay: no catch and no finally runs.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    try {
      await log(`${event.payload}-start`);
      if (event.payload === "sleep") await step.sleep("s", "10 minutes");
      if (event.payload === "wait") await step.waitForEvent("w", { type: "t" });
      if (event.payload === "retry") {
        await step.do("r", { retries: { limit: 1, delay: "10 minutes" } }, async () => {
          await log("retry-attempt");
          throw new Error("no");
        });
      }
    } catch (error) {
      await log(`${event.payload}-caught`, seen(error));
    } finally {
      await log(`${event.payload}-finally`);
    }
  }
}

export default driven();
