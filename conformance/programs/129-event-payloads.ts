/** Shows R-EV-1, R-RES-1: payloads of every kind arrive as they were. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const payloads: unknown[] = [];
    for (let index = 0; index < 7; index += 1) {
      const got = await step.waitForEvent("w", { type: "t", timeout: "5 seconds" });
      await log("payload", got.payload);
      payloads.push(got.payload);
    }
  }
}

export default driven();
