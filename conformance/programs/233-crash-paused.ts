/** Shows R-LC-3, R-HIB-3: a paused instance survives a crash and goes on after resume. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");

    await step.do("hold", async () => {
      await log("hold");
      await pass(300);
    });

    await log("after");
    return "end";
  }
}

export default driven();
