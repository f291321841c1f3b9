/** Shows R-EV-2: events of other types stay unused; types are compared exactly. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    try {
      await step.waitForEvent("w", { type: "t", timeout: 600 });
    } catch (error) {
      await log("caught", seen(error));
    }
    const other = await step.waitForEvent<number>("x", { type: "T", timeout: 300 });
    return other.payload;
  }
}

export default driven();
