/** Shows R-RES-1: what a step may give: every kind arrives as it was. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const shared = { n: 1 };
    const cyclic: { self?: unknown; name: string } = { name: "loop" };
    const values: Record<string, unknown> = {
      date: new Date(86400000),
      map: new Map<unknown, unknown>([["k", 1], [2, new Set(["x"])]]),
      set: new Set([1, "one", null]),
      bytes: new Uint8Array([1, 2, 255]),
      buffer: new Uint8Array([9, 8]).buffer,
      words: new Uint16Array([1, 65535]),
      floats: new Float64Array([0.5, -0]),
      view: new DataView(new Uint8Array([5, 6, 7]).buffer, 1),
      bigint: 12345678901234567890n,
      nothing: undefined,
      nil: null,
      nan: NaN,
      infinite: -Infinity,
      zero: -0,
      regexp: /a+/gi,
      error: new RangeError("as a value"),
      sparse: [1, , 3],
      nested: { list: [undefined, { deep: true }], [" odd key "]: 1 },
      shared: [shared, shared],
      boxed: Object(7),
    };
    for (const [kind, value] of Object.entries(values)) {
      try {
        const back = await step.do(kind, { retries: { limit: 0, delay: 0 } }, async () => value as never);
        await log(kind, back);
      } catch (error) {
        await log(`${kind}-caught`, seen(error));
      }
    }
    const back = (await step.do("shared", async () => [shared, shared])) as unknown[];
    await log("sharing", back[0] === back[1]);
    await log("copied", (await step.do("copy", async () => shared)) !== shared);
  }
}

export default driven();
