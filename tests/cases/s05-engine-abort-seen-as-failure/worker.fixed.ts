/**
 * The same Worker, which undoes an order only when the depot has refused it for good. Every other
 * error says nothing of the order: it goes on its way, and the engine goes on from its steps.
 */

import { type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { OUT_OF_STOCK, type Order, FulfilOrder as Planted } from "./worker.ts";

export { default } from "./worker.ts";

export class FulfilOrder extends Planted {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const { order } = event.payload;
    try {
      await this.fulfil(order, step);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== OUT_OF_STOCK) throw error;
      await step.do("note that it failed", () => this.book(order, "failed"));
      await step.do("refund", () => this.refund(order));
      throw error;
    }
  }
}
