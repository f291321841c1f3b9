/**
 * Shows R-RUN-2, R-NR-2, R-NR-4: the same without the compatibility flags: how names and messages are lost.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { driven } from "../lib/driver.ts";

class Declined extends Error {
  override name = "Declined";
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    const kinds: Record<string, () => unknown> = {
      custom: () => new Declined("no money", 402),
      typed: () => new TypeError("typed"),
      fatal: () => new NonRetryableError("final"),
      renamed: () => new NonRetryableError("renamed", "Other"),
      caused: () => new Error("outer", { cause: new TypeError("inner") }),
      text: () => "just text",
      number: () => 42,
      nil: () => null,
      nothing: () => undefined,
      object: () => ({ reason: "object" }),
      list: () => [1, 2],
      empty: () => new Error(),
    };
    throw kinds[event.payload]();
  }
}

export default driven();
