/**
 * Shows K-21, R-LIM-1: the fourth step of three is refused, and so is every later one; sleeps and waits do
 * not count.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (let index = 1; index <= 5; index += 1) {
      try {
        await step.sleep(`rest ${index}`, 1);
        await step.do(`step ${index}`, async () => {
          await log(`step-${index}`);
        });
      } catch (error) {
        await log(`caught-${index}`, seen(error));
      }
    }
    await step.do("last", async () => {});
  }
}

export default driven();
