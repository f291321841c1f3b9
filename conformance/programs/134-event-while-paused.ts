/** Shows R-EV-7, R-EV-10, F-EV-10: an event sent to a paused instance is delivered after resume. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");

    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });

    const got = await step.waitForEvent<string>("one", { type: "t", timeout: 3000 });
    await log("got", got.payload);
    return got.payload;
  }
}

export default driven();
