/** Shows K-25, R-NR-1, R-NR-2: NonRetryableError ends the step and the instance after one call. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.do("fatal", { retries: { limit: 3, delay: 0 } }, async () => {
      await log("called");
      throw new NonRetryableError("m");
    });
  }
}

export default driven();
