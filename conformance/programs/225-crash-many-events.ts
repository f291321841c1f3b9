/**
 * Shows R-EV-10, DIFF-07, F-EV-14: more than ten buffered events come back in the order of their indices as
 * text.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("s", 2500);
    const got: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      got.push((await step.waitForEvent<number>("w", { type: "t", timeout: 600 })).payload);
    }
    return got;
  }
}

export default driven();
