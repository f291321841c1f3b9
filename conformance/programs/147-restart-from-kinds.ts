/** Shows R-LC-9: restart from a sleep, from a wait and from the second step of a name. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");
    for (const tag of ["x", "y"]) {
      await step.do("same", async (ctx) => {
        await log(`same-${tag}`, ctx.step.count);
      });
    }
    await step.sleep("nap", 50);
    await step.do("after nap", async () => {
      await log("after-nap");
    });
    const got = await step.waitForEvent<string>("w", { type: "t", timeout: "10 seconds" });
    await log("end", got.payload);
    return got.payload;
  }
}

export default driven();
