/** Shows K-62, R-LC-9: restart from a step keeps what came before it; an unknown name is refused. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (const name of ["a", "b", "c"]) {
      await step.do(name, async () => {
        await log(name);
        return name;
      });
    }
    await log("end");
    return "end";
  }
}

export default driven();
