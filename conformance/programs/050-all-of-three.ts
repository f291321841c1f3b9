/** Shows K-17, R-PAR-1: three steps at once take as long as the longest. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values = await Promise.all(
      [1, 2, 3].map((number) =>
        step.do(`part ${number}`, async (ctx) => {
          await fetch(`http://lane.example/${number}/start`);
          await pass(1200);
          await fetch(`http://lane.example/${number}/end`);
          return ctx.step.count * number;
        }),
      ),
    );
    await log("all", values);
    return values;
  }
}

export default driven();
