/** Shows R-EV-1: an instance that sends itself an event from inside a step. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint<Env> {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("send", async () => {
      const me = await this.env.FLOW.get(event.instanceId);
      await me.sendEvent({ type: "t", payload: { from: "myself" } });
    });
    const got = await step.waitForEvent("w", { type: "t", timeout: 1000 });
    return got.payload;
  }
}

export default driven();
