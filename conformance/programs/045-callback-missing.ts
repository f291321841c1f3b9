/** Shows K-20: a step without a callback is refused. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const wrong: unknown[][] = [["n"], ["n", {}], ["n", {}, "text"], ["n", null, undefined]];
    for (const [index, args] of wrong.entries()) {
      try {
        await (step.do as (...args: unknown[]) => Promise<unknown>)(...args);
        await log(`wrong-${index}-passed`);
      } catch (error) {
        await log(`wrong-${index}-caught`, seen(error));
      }
    }
  }
}

export default driven();
