/** Shows R-ID-6, R-PAR-1: a step starts when it is called, not when it is awaited. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const early = step.do("early", async () => {
      await log("early");
      return "early";
    });
    await step.sleep("s", 400);
    await log("slept");
    const late = await step.do("late", async () => "late");
    return [late, await early];
  }
}

export default driven();
