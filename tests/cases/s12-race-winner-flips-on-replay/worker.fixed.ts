/** The same Worker with the whole race in one step, so that who won is stored once and for all. */

import type { WorkflowStep } from "cloudflare:workers";
import { type Quote, SendParcel as Planted } from "./worker.ts";

export { default } from "./worker.ts";

export class SendParcel extends Planted {
  protected override choose(step: WorkflowStep): Promise<Quote> {
    return step.do("choose a carrier", () =>
      Promise.race([this.quote("snail"), this.quote("hare")]),
    );
  }
}
