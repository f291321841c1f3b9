/** Shows R-DO-3: a change that the callback makes to its result afterwards is not seen. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const mine = { list: [1] };
    const value = await step.do("give", async () => mine);
    mine.list.push(2);
    await log("value", value);
    return value;
  }
}

export default driven();
