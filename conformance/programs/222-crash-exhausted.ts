/** Shows K-29, R-DO-4, F-DO-10: the stored error of an exhausted step is thrown again after a crash. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("fails", { retries: { limit: 0, delay: 0 } }, async () => {
        await log("called");
        throw Object.assign(new RangeError("m"), { code: 9 });
      });
    } catch (error) {
      await log("caught", [seen(error), (error as { code?: number }).code]);
    }
    await step.sleep("s", 600);
    return "end";
  }
}

export default driven();
