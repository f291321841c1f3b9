/** Shows R-RES-6: a circular output ends the instance with an error. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    await log("run");
    return loop as never;
  }
}

export default driven();
