/** Shows R-LC-5, DIFF-05: a catch that swallows the pause lets `run` go on and even complete. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      await step.sleep("s", "10 minutes");
    } catch (error) {
      await log("swallowed", seen(error));
    }
    await log("on");
    return "end";
  }
}

export default driven();
