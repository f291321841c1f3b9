/** Shows R-EV-3, R-PAR-2: a wait that lost a race keeps its place in the queue and takes the next event. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const winner = await Promise.race([
      step.waitForEvent("lost", { type: "t", timeout: "5 seconds" }).then(() => "event"),
      step.sleep("short", 300).then(() => "sleep"),
    ]);
    await log("winner", winner);
    try {
      const got = await step.waitForEvent<string>("second", { type: "t", timeout: 1200 });
      await log("second", got.payload);
    } catch (error) {
      await log("second-caught", seen(error));
    }
  }
}

export default driven();
