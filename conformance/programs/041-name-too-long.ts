/** Shows K-20: a step name of 257 characters is refused, one of 256 is not. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    for (const length of [256, 257]) {
      try {
        await step.do("x".repeat(length), async (ctx) => {
          await log(`called-${length}`, ctx.step.name.length);
        });
      } catch (error) {
        await log(`caught-${length}`, seen(error));
      }
    }
  }
}

export default driven();
