/** Shows R-RES-6: what `run` may give and how status() shows it. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    const outputs: Record<string, () => unknown> = {
      nothing: () => undefined,
      nil: () => null,
      text: () => "text",
      number: () => 1.5,
      nan: () => NaN,
      yes: () => true,
      date: () => new Date(1000),
      map: () => new Map([["k", 1]]),
      bigint: () => 5n,
      bytes: () => new Uint8Array([1, 2]),
      list: () => [undefined, { a: undefined, b: 1 }],
      error: () => new TypeError("as output"),
    };
    return outputs[event.payload]() as never;
  }
}

export default driven();
