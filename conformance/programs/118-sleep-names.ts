/** Shows DIFF-12: names of sleeps and waits are not checked. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.sleep("x".repeat(300), 1);
    await step.sleep("a\u0000b", 1);
    await step.sleep("", 1);
    try {
      await step.waitForEvent("y".repeat(300), { type: "t", timeout: 1 });
    } catch (error) {
      await log("caught", seen(error));
    }
    return "end";
  }
}

export default driven();
