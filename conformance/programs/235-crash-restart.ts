/** Shows R-LC-8, R-HIB-2: restart of a dormant instance runs it from the beginning. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    await log("run", event.payload);
    await step.do("a", async (ctx) => {
      await log("a", ctx.attempt);
    });
    await step.sleep("s", 600);
    return "end";
  }
}

export default driven();
