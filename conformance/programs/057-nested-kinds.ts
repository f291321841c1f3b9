/** Shows R-NEST-1: sleeps, waits and steps inside a step. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    return await step.do("outer", async () => {
      await log("outer");
      await step.sleep("in", 600);
      await log("slept");
      const event = await step.waitForEvent<string>("in", { type: "t", timeout: "5 seconds" });
      await log("event", event.payload);
      return await step.do("in", async () => "inner");
    });
  }
}

export default driven();
