/**
 * Shows K-69, R-RB-9, F-RB-5: if the failing step succeeds at the replay, the workflow goes forward after a
 * partial rollback.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const undo = (name: string) => ({
      rollback: async ({ ctx }: { ctx: { attempt: number } }) => {
        await log(`rollback-${name}`, ctx.attempt);
        if (name === "s1" && (await (await fetch("http://lifetime.example/")).text()) === "first") await pass(600_000);
      },
    });
    for (const name of ["s1", "s2"]) {
      await step.do(name, async () => {
        await log(name);
      }, undo(name));
    }

    await step.do("s3", async (ctx) => {
      await log("s3", ctx.attempt);
      if (ctx.attempt === 1) throw new NonRetryableError("s3 failed");
    }, undo("s3"));
    return "end";
  }
}

export default driven();
