/** Shows R-ID-4, DIFF-16: keys of different kinds collide: do(z1000) after sleep(z, 1000) style names. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await step.sleep("z", 100);
    const value = await step.do("z100", async () => {
      await log("callback");
      return "value";
    });
    await log("value", value);
    return value;
  }
}

export default driven();
