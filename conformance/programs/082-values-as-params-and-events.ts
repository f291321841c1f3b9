/** Shows R-RES-1, R-CR-1: one object with many kinds as params, step value and event payload. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("payload", event.payload);
    const value = await step.do("same", async () => event.payload);
    await log("value", value);
    const got = await step.waitForEvent("w", { type: "t", timeout: "10 seconds" });
    await log("event", got.payload);
    try {
      await step.waitForEvent("x", { type: "cycle", timeout: "10 seconds" });
    } catch (error) {
      await log("cycle", (seen(error) as { name: string }).name);
    }
  }
}

export default driven();
