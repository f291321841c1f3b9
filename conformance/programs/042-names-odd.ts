/**
 * Shows K-20, R-ID-1: control characters are refused; empty names and names that are not text are accepted.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const names = ["a\tb", "a\u0000b", "a\u001fb", "a\u007fb", "", "\u00e9\u{1F600}", 7, null, undefined, true];
    for (const [index, name] of names.entries()) {
      try {
        const value = await step.do(name as string, async (ctx) => ctx.step);
        await log(`name-${index}`, value);
      } catch (error) {
        await log(`name-${index}-caught`, seen(error));
      }
    }
  }
}

export default driven();
