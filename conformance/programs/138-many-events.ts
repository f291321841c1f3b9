/** Shows R-EV-1: twelve events arrive in the order in which they were sent. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("let them come", 900);
    const got: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      got.push((await step.waitForEvent<number>("w", { type: "t", timeout: 1000 })).payload);
    }
    return got;
  }
}

export default driven();
