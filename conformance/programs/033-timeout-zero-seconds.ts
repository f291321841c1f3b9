/** Shows R-TO-1: the text `0 seconds` passes validation and times out at once. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("hurried", { retries: { limit: 0, delay: 0 }, timeout: "0 seconds" }, async () => {
        await pass(300);
      });
    } catch (error) {
      await log("caught", seen(error));
    }
  }
}

export default driven();
