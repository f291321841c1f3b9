/** Shows K-52, R-PAR-2, F-RUN-3: a race decided one way before a crash is decided the other way after it. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const winner = await Promise.race([
      step.do("p1", async () => {
        await pass(300);
        return "p1";
      }),
      step.do("p2", async () => "p2"),
    ]);
    await log("winner", winner);
    await step.sleep("s", 900);
    return winner;
  }
}

export default driven();
