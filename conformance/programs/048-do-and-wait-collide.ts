/** Shows R-ID-4, DIFF-16: do(x-1) and waitForEvent(x) share a key. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const first = await step.do("x-1", async () => "stored by do");
    await log("first", first);
    try {
      const second = await step.waitForEvent("x", { type: "t", timeout: 300 });
      await log("second", second);
    } catch (error) {
      await log("caught", seen(error));
    }
  }
}

export default driven();
