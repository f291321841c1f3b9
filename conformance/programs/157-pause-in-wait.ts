/** Shows R-LC-4, R-LC-5, DIFF-05: a pause in a wait: its timeout moves by the pause. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      const got = await step.waitForEvent<string>("w", { type: "t", timeout: 2400 });
      await log("got", got.payload);
    } catch (error) {
      await log("caught", seen(error));
      throw error;
    }
  }
}

export default driven();
