/**
 * Shows R-LC-12: an instance that pauses itself inside a step: the call returns, the step ends, then it is
 * paused.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint<Env> {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");
    await step.do("rest", async () => {
      const me = await this.env.FLOW.get(event.instanceId);
      await me.pause();
      await log("after-call");
    });
    await step.do("next", async () => {
      await log("next");
    });
    return "end";
  }
}

export default driven();
