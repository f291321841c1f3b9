/** Shows K-61, R-LC-8: restart of a complete instance runs everything again with the same payload. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run", event.payload);
    const value = await step.do("one", async (ctx) => {
      await log("one", [ctx.attempt, ctx.step.count]);
      const answer = await fetch("http://numbers.example/");
      return Number(await answer.text());
    });
    return value;
  }
}

export default driven();
