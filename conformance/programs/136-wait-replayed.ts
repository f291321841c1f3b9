/** Shows R-EV-4, R-EV-5: a received event and a timeout are both stored: a replay gives them again. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const one = await step.waitForEvent<string>("one", { type: "t", timeout: "5 seconds" });
    await log("one", one.payload);
    try {
      await step.waitForEvent("never", { type: "u", timeout: 300 });
    } catch (error) {
      await log("never", seen(error));
    }

    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });

    return one.payload;
  }
}

export default driven();
