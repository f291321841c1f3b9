/** Shows K-22, R-RUN-1: a step that is not awaited goes on after `run` has returned. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    void step.do("left behind", async () => {
      await pass(600);
      await log("write");
    });
    return "returned";
  }
}

export default driven();
