/** Shows R-RUN-1: a sleep and a wait left behind do not keep the instance from completing. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    void step.sleep("left", "1 hour").catch(() => {});
    void step.waitForEvent("left", { type: "t" }).catch(() => {});
    await step.do("one", async () => {
      await log("one");
    });
    return "end";
  }
}

export default driven();
