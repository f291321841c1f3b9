/** Shows K-66, R-RB-2: a caught failure is rolled back when `run` throws later, with the later error. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

interface Undo {
  ctx: { step: unknown; attempt: number };
  error: unknown;
  output?: unknown;
  stepName: string;
}

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const undo = (name: string) => ({
      rollback: async ({ ctx, error, output, stepName }: Undo) => {
        await log(`rollback-${name}`, [ctx.step, ctx.attempt, seen(error), output, stepName]);
      },
      rollbackConfig: { retries: { limit: 0, delay: 0 } },
    });
    await step.do("s1", async () => "one", undo("s1"));
    await step.do("s2", async () => "two", undo("s2"));
    try {
      await step.do(
        "s3",
        { retries: { limit: 0, delay: 0 } },
        async () => {
          await log("s3");
          throw new RangeError("s3 failed");
        },
        undo("s3"),
      );
    } catch (error) {
      await log("caught", seen(error));
    }
    throw new Error("top");
  }
}

export default driven();
