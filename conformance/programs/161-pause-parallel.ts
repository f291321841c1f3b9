/** Shows R-LC-2: a pause waits for all running steps. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await Promise.all(
      [300, 900].map((ms) =>
        step.do(`${ms}`, async () => {
          await log(`start-${ms}`);
          await pass(ms);
          await log(`end-${ms}`);
        }),
      ),
    );
    await step.do("next", async () => {
      await log("next");
    });
    return "end";
  }
}

export default driven();
