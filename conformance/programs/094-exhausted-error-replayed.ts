/** Shows K-29, R-DO-4: the error of an exhausted step is stored: a replay throws it again without a call. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("fails", { retries: { limit: 0, delay: 0 } }, async () => {
        await log("called");
        throw Object.assign(new RangeError("m"), { code: 9 });
      });
    } catch (error) {
      await log("caught", [seen(error), (error as { code?: number }).code, error instanceof RangeError]);
    }
    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });
    return "end";
  }
}

export default driven();
