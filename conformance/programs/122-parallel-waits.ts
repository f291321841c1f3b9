/** Shows K-39, R-EV-3: the first-called of two parallel waits gets the first event. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("start");
    const wait = async (name: string) => {
      const got = await step.waitForEvent<string>(name, { type: "t", timeout: "5 seconds" });
      await log(name, got.payload);
      return got.payload;
    };
    return await Promise.all([wait("one"), wait("two")]);
  }
}

export default driven();
