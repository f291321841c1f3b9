/** Shows R-TO-2, R-ERR-2: what `run` catches when the last attempt times out. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("slow", { retries: { limit: 0, delay: 0 }, timeout: "0.3 seconds" }, async () => {
        await log("start");
        await pass(600);
      });
    } catch (error) {
      await log("caught", seen(error));
    }
    await step.sleep("stay", 600);
  }
}

export default driven();
