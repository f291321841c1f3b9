/** Shows R-HIB-3: fields of the class and of the module: fresh for an instance, shared through the module. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

let moduleCount = 0;

export class Flow extends WorkflowEntrypoint {
  #count = 0;

  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    this.#count += 1;
    moduleCount += 1;
    await step.do("a", async () => {
      this.#count += 1;
      await log("count", [this.#count, moduleCount]);
    });
    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });
    return [this.#count, moduleCount];
  }
}

export default driven();
