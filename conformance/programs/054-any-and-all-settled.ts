/** Shows R-PAR-1, R-PAR-2: Promise.any skips failures, Promise.allSettled keeps them. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const fail = (name: string) =>
      step.do(name, { retries: { limit: 0, delay: 0 } }, async () => {
        throw new Error(`${name} failed`);
      });
    const first = await Promise.any([fail("x"), step.do("y", async () => "y")]);
    await log("any", first);
    const settled = await Promise.allSettled([fail("u"), step.do("v", async () => "v")]);
    await log("settled", settled.map((one) => (one.status === "rejected" ? seen(one.reason) : one.value)));
    try {
      await Promise.any([fail("p"), fail("q")]);
    } catch (error) {
      const together = error as AggregateError;
      await log("none", [together.name, together.errors.map((one) => one.message)]);
    }
  }
}

export default driven();
