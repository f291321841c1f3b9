/** Shows K-20, R-ERR-1: a refused inner step inside a step is an ordinary failure of the outer step. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("outer", { retries: { limit: 1, delay: 0 } }, async (outer) => {
        await log("outer", outer.attempt);
        await step.do("bad\u0000name", async () => {});
      });
    } catch (error) {
      await log("caught", seen(error));
    }
  }
}

export default driven();
