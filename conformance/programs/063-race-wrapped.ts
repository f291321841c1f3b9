/** Shows R-PAR-2: a race inside an outer step keeps its outcome over a replay. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const winner = await step.do("race", async () =>
      Promise.race([
        step.do("slow", async () => {
          await pass(300);
          return "slow";
        }),
        step.do("fast", async () => "fast"),
      ]),
    );
    await log("winner", winner);
    await step.sleep("let the slow one end", 600);

    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });

    return winner;
  }
}

export default driven();
