/** Shows R-EV-1, R-CR-1: instances of one workflow do not share steps, events or payloads. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    const name = event.instanceId;
    const value = await step.do("value", async () => {
      await log(`${name}-value`);
      return `value of ${event.payload}`;
    });
    const got = await step.waitForEvent<string>("w", { type: "t", timeout: "10 seconds" });
    await log(`${name}-event`, got.payload);
    return [value, got.payload];
  }
}

export default driven();
