/** Shows R-RUN-2: a step that fails before it is awaited: the error waits for the await. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const early = step.do("early", { retries: { limit: 0, delay: 0 } }, async () => {
      await log("early");
      throw new Error("early failed");
    });
    early.catch(() => {});
    await step.sleep("s", 400);
    await log("slept");
    try {
      await early;
    } catch (error) {
      await log("caught", seen(error));
    }
    return "end";
  }
}

export default driven();
