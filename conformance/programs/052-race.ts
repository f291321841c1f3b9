/** Shows R-PAR-2: a race of two steps: the faster wins, the slower still runs to its end. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const winner = await Promise.race([
      step.do("slow", async () => {
        await pass(500);
        await log("slow-write");
        return "slow";
      }),
      step.do("fast", async () => "fast"),
    ]);
    await log("winner", winner);
    await step.sleep("stay", 800);
    return winner;
  }
}

export default driven();
