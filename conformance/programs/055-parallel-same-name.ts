/** Shows R-ID-1, R-ID-6: counts are given in the order of the calls, also in parallel. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values = await Promise.all(
      ["a", "b", "c"].map((tag) => step.do("same", async (ctx) => `${tag}${ctx.step.count}`)),
    );
    return values;
  }
}

export default driven();
