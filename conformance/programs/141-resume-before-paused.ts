/** Shows K-59, R-LC-3: resume before the step has ended cancels the pause. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");

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
