/** Shows R-EV-4, R-PAR-1: a wait beside a step: the event is taken while the step works. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const [got, value] = await Promise.all([
      step.waitForEvent<string>("w", { type: "t", timeout: "5 seconds" }).then(async (one) => {
        await log("event", one.payload);
        return one.payload;
      }),
      step.do("work", async () => {
        await pass(900);
        await log("worked");
        return "work";
      }),
    ]);
    return [got, value];
  }
}

export default driven();
