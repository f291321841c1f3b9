/**
 * Shows R-RES-1, R-DO-2, R-DO-3: stored values come back the same after a replay; changes made by `run` do
 * not.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const value = await step.do("make", async () => {
      await log("make");
      return {
        date: new Date(1000),
        map: new Map([["k", new Set([1n])]]),
        bytes: new Uint8Array([3, 4]),
        nothing: undefined,
        error: Object.assign(new TypeError("kept"), { code: 5 }),
        list: [1] as number[],
      };
    });
    await log("value", value);
    value.list.push(2);
    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });
    return value.list;
  }
}

export default driven();
