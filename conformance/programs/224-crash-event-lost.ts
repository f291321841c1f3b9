/**
 * Shows R-EV-10, DIFF-07, F-EV-14: an event that wakes a dormant instance takes the place of the oldest of
 * its type and comes twice.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    await step.sleep("s", 2500);
    for (let index = 1; index <= 4; index += 1) {
      try {
        const got = await step.waitForEvent<string>(`w${index}`, { type: "t", timeout: 600 });
        await log(`w${index}`, got.payload);
      } catch (error) {
        await log(`w${index}-caught`, seen(error));
      }
    }
  }
}

export default driven();
