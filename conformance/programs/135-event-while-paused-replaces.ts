/** Shows R-EV-10: an event sent while paused takes the place of one consumed before. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const one = await step.waitForEvent<string>("one", { type: "t", timeout: "5 seconds" });
    await log("one", one.payload);

    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });

    for (const name of ["two", "three"]) {
      try {
        const got = await step.waitForEvent<string>(name, { type: "t", timeout: 300 });
        await log(name, got.payload);
      } catch (error) {
        await log(`${name}-caught`, seen(error));
      }
    }
  }
}

export default driven();
