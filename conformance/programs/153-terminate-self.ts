/** Shows R-LC-12: an instance that terminates itself inside a step: nothing runs after the call. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint<Env> {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("stop", async () => {
        await log("before");
        const me = await this.env.FLOW.get(event.instanceId);
        await me.terminate();
        await log("after-call");
      });
    } finally {
      await log("finally");
    }
  }
}

export default driven();
