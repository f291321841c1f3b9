/**
 * Shows K-58, R-LC-2, R-LC-3, R-LC-6: a pause takes effect when the running step has ended; resume goes on
 * without repeating steps.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (const name of ["a", "b", "c"]) {
      await step.do(name, async () => {
        await log(`${name}-start`);
        if (name === "b") await pass(900);
        await log(`${name}-end`);
        return name;
      });
    }
    return "end";
  }
}

export default driven();
