/**
 * The same Worker, which lets the payment service decide: when the time is up it closes the checkout,
 * and is told whether the order is paid.
 */

import { type WorkflowStep } from "cloudflare:workers";
import { CHECKOUTS, SellOrder as Planted, send } from "./worker.ts";

export { default } from "./worker.ts";

export class SellOrder extends Planted {
  protected override async withoutPayment(order: string, step: WorkflowStep): Promise<string> {
    const state = await step.do("close", async () => {
      const answer = await send("POST", `${CHECKOUTS}/${order}/close`, { order });
      return (await answer.json<{ state: string }>()).state;
    });
    return state === "paid" ? await this.ship(order, step) : await this.cancel(order, step);
  }
}
