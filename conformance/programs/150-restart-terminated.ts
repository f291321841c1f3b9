/** Shows R-LC-8: a terminated and an errored instance can be restarted. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    await log("run");
    const answer = await fetch("http://verdict.example/");
    const verdict = await answer.text();
    if (verdict === "hang") await step.sleep("long", "10 minutes");
    if (verdict === "fail") throw new Error("failed");
    return verdict;
  }
}

export default driven();
