/** Shows K-16, R-ID-1: three steps of one name have counts 1, 2, 3; a replay finds them all. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      values.push(
        await step.do("n", async (ctx) => {
          await log("n", ctx.step);
          return index;
        }),
      );
    }
    await log("values", values);
    await step.do("long", async () => {
      await log("long");
      await pass(400);
    });
    return values;
  }
}

export default driven();
