/**
 * Shows R-DO-3: a change that `run` makes to a step's value is not seen by a later step of another name,
 * and lost at a replay.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const value = await step.do("make", async () => ({ list: [1] as number[] }));
    value.list.push(2);
    const other = await step.do("reads", async () => value.list.length);
    await log("other", [other, value.list]);

    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });

    const again = await step.do("reads again", async () => value.list.length);
    return [other, again, value.list];
  }
}

export default driven();
