/** Shows K-26, R-NR-1: a caught NonRetryableError: the workflow goes on. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("fatal", async () => {
        await log("called");
        throw new NonRetryableError("m");
      });
    } catch (error) {
      await log("caught", seen(error));
    }
    return await step.do("next", async () => {
      await log("next");
      return "fine";
    });
  }
}

export default driven();
