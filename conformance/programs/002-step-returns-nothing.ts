/**
 * Shows K-02, R-RES-1: a step without a value gives undefined, also after a replay (forced by pause and
 * resume).
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const nothing = await step.do("nothing", async () => {
      await log("callback");
    });
    await log("value", nothing === undefined);
    await step.do("long", async () => {
      await log("long");
      await pass(400);
    });
    return nothing === undefined;
  }
}

export default driven();
