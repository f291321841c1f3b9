/**
 * Shows K-60, R-LC-6, R-ST-3, F-LC-2, F-LC-6: terminate during a step: nothing more happens; a second
 * terminate is refused.
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
