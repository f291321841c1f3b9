/** Shows R-LC-1, R-LC-3, F-LC-1, DIFF-14: repeated pause and resume are harmless. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.do("work", async () => {
      await log("work");
      await pass(600);
    });
    await log("end");
    return "end";
  }
}

export default driven();
