/**
 * Shows K-44, R-EV-6, F-EV-7: a wait whose deadline passed during the downtime times out although an event
 * arrives first; the event goes to the next wait.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      const got = await step.waitForEvent<string>("one", { type: "t", timeout: 600 });
      await log("one", got.payload);
    } catch (error) {
      await log("one-caught", seen(error));
    }
    const two = await step.waitForEvent<string>("two", { type: "t", timeout: 600 });
    return two.payload;
  }
}

export default driven();
