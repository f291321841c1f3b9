/** Shows K-01, R-DO-1, R-CR-1: one step, its value, and the value of `run`. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const a = await step.do("one", async () => {
      await log("one", event.payload);
      return 1;
    });
    return { a };
  }
}

export default driven();
