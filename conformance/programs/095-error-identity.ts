/** Shows K-30, R-ERR-2: what `run` catches of errors of every kind, enhanced serialization. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

class Declined extends Error {
  override name = "Declined";
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}
class Plain extends Error {}

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const kinds: Record<string, () => unknown> = {
      custom: () => new Declined("no money", 402),
      plain: () => new Plain("plain subclass"),
      typed: () => new TypeError("typed"),
      coded: () => Object.assign(new Error("coded"), { code: "E", detail: { list: [1] } }),
      caused: () => new Error("outer", { cause: new TypeError("inner") }),
      aggregate: () => new AggregateError([new Error("one"), new Error("two")], "several"),
      dom: () => new DOMException("aborted", "AbortError"),
      text: () => "just text",
      number: () => 42,
      nil: () => null,
      nothing: () => undefined,
      object: () => ({ reason: "object" }),
      list: () => [1, 2],
      empty: () => new Error(),
    };
    for (const [kind, make] of Object.entries(kinds)) {
      try {
        await step.do(kind, { retries: { limit: 0, delay: 0 } }, async () => {
          throw make();
        });
      } catch (error) {
        const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
        const classes = [Error, TypeError, Declined, AggregateError, DOMException].filter((one) => error instanceof one);
        await log(kind, [seen(error), code, seen(cause), classes.map((one) => one.name)]);
      }
    }
  }
}

export default driven();
