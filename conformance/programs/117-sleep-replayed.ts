/**
 * Shows R-SL-1, R-ID-2, DIFF-04: a replay passes a finished sleep at once; with another duration it is
 * another sleep.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint<Env> {
  /** Another answer in every lifetime: the service decides. */
  private async env_long(): Promise<boolean> {
    const answer = await fetch("http://lifetime.example/");
    return (await answer.text()) === "second";
  }

  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("pass");
    await step.sleep("same", 600);
    await log("after-same");
    const long = await this.env_long();
    await step.sleep("changing", long ? 1200 : 600);
    await log("after-changing");

    await step.do("hold", async () => {
      await log("hold");
      await pass(800);
    });

    return "end";
  }
}

export default driven();
