/**
 * Shows K-68, R-RB-7, F-RB-1: a crash in a handler: finished handlers are not run again, the interrupted
 * one is.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
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

    await step.do("s3", { retries: { limit: 0, delay: 0 } }, async () => {
      await log("s3");
      throw new Error("s3 failed");
    }, undo("s3"));
  }
}

export default driven();
