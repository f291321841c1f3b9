/** Shows R-SL-1, R-ID-2: zero and negative sleeps return at once; the same sleep twice is two sleeps. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.sleep("zero", 0);
    await step.sleep("negative", -5);
    await step.sleep("negative text", "-1 minute" as never);
    await step.sleep("same", 600);
    await log("first");
    await step.sleep("same", 600);
    await log("second");
  }
}

export default driven();
