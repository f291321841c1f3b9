/** Shows R-RUN-1: a step called after `run` has returned does nothing. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    void (async () => {
      await pass(400);
      await log("before");
      await step.do("late", async () => {
        await log("late");
      });
      await log("after");
    })();
    await log("run");
    return "returned";
  }
}

export default driven();
