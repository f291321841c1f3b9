/** Shows R-SL-4: sleepUntil a later time, as Date and as number. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("date");
    await step.sleepUntil("date", new Date(Date.now() + 600));
    await log("number");
    await step.sleepUntil("number", Date.now() + 600);
    await log("end");
  }
}

export default driven();
