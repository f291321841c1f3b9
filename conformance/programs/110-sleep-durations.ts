/** Shows R-SL-1, R-SL-3: durations of a sleep as number and as text; an unknown unit counts as 1. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("number");
    await step.sleep("number", 600);
    await log("text");
    await step.sleep("text", "0.6 seconds");
    await log("numeric");
    await step.sleep("numeric", "600" as never);
    await log("quirk");
    await step.sleep("quirk", "5 s" as never);
    await step.sleep("quirk", "7 Minutes" as never);
    await log("end");
  }
}

export default driven();
