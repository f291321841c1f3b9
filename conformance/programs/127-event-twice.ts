/** Shows K-42, R-EV-1, F-EV-3: an event sent again by a caller that got no answer satisfies two waits. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const one = await step.waitForEvent<{ round: number }>("one", { type: "t", timeout: "5 seconds" });
    await log("one");
    const two = await step.waitForEvent<{ round: number }>("two", { type: "t", timeout: "5 seconds" });
    return [one.payload, two.payload];
  }
}

export default driven();
