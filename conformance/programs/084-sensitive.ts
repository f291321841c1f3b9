/** Shows R-ST-1: a sensitive step gives its value to `run` and hides it from the status. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const secret = await step.do("secret", { sensitive: "output" }, async () => ({ key: "k" }));
    const open = await step.do("open", async () => "o");
    return [secret, open];
  }
}

export default driven();
