/**
 * Shows K-38, R-EV-1, R-EV-3, R-EV-5: two buffered events satisfy two waits in order; the third times out.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("first", 500);
    for (let index = 1; index <= 3; index += 1) {
      try {
        const got = await step.waitForEvent<string>(`w${index}`, { type: "t", timeout: 300 });
        await log(`w${index}`, got.payload);
      } catch (error) {
        await log(`w${index}-caught`, seen(error));
      }
    }
    return "end";
  }
}

export default driven();
