/**
 * Shows R-ID-5, F-RUN-4, F-RUN-5: code that changes between lifetimes: a step inserted before others simply
 * runs, one left out is ignored.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const later = (await (await fetch("http://lifetime.example/")).text()) === "second";
    await log("run", later);
    const values: unknown[] = [];
    for (const name of later ? ["new", "b", "a"] : ["a", "b", "gone"]) {
      values.push(
        await step.do(name, async (ctx) => {
          await log(name, ctx.attempt);
          return `${name} of ${later ? "second" : "first"}`;
        }),
      );
    }
    await step.sleep("s", 600);
    return values;
  }
}

export default driven();
