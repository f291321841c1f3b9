/**
 * Shows R-HIB-3, R-RUN-3: a change of the event's payload is seen later in the same lifetime and gone in
 * the next.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<{ list: number[] }>, step: WorkflowStep) {
    await log("payload", event.payload);
    event.payload.list.push(2);
    await step.do("sees", async () => {
      await log("in-step", event.payload);
    });
    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });
    return event.payload;
  }
}

export default driven();
