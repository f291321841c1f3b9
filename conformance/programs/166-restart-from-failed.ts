/** Shows R-LC-9: restart of an errored instance from the step that failed. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("a", async () => {
      await log("a");
    });
    await step.do("b", { retries: { limit: 0, delay: 0 } }, async (ctx) => {
      await log("b", ctx.attempt);
      const answer = await fetch("http://verdict.example/");
      if (!answer.ok) throw new Error("no");
    });
    return "end";
  }
}

export default driven();
