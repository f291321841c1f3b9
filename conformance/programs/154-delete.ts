/** Shows R-LC-11, F-LC-4, F-LC-10: delete forgets an instance, running or ended; its id can be used again. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    await log(`run-${event.payload}`);
    if (event.payload === "long") {
      await pass(600);
      await log("still-here");
      await step.sleep("long", "10 minutes");
    }
    return event.payload;
  }
}

export default driven();
