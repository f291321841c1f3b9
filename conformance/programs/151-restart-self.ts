/** Shows R-LC-10, DIFF-21: an instance that restarts itself from inside a step gets stuck. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint<Env> {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");
    await step.do("again", async () => {
      await log("again");
      const answer = await fetch("http://verdict.example/");
      if ((await answer.text()) === "restart") {
        const me = await this.env.FLOW.get(event.instanceId);
        await me.restart();
      }
    });
    return "end";
  }
}

export default driven();
