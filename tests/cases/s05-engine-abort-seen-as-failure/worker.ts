/**
 * Charges an order, ships it, and notes that it was shipped; when something fails on the way, notes
 * that instead, and refunds.
 *
 *     POST /orders   starts one Workflow instance, named after the order
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";

export interface Order {
  readonly order: string;
}

interface Env {
  readonly ORDERS: Workflow<Order>;
}

export const OUT_OF_STOCK = "out of stock";

export class FulfilOrder extends WorkflowEntrypoint<Env, Order> {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const { order } = event.payload;
    try {
      await this.fulfil(order, step);
    } catch (error) {
      await this.book(order, "failed");
      await this.refund(order);
      throw error;
    }
  }

  protected async fulfil(order: string, step: WorkflowStep) {
    await step.do("charge", () => this.charge(order));
    await step.do("ship", () => this.ship(order));
    await step.do("note that it was shipped", () => this.book(order, "shipped"));
  }

  protected async charge(order: string) {
    accepted(await send("POST", "https://payments.example/charges", { order }, `charge ${order}`));
  }

  protected async refund(order: string) {
    accepted(await send("POST", "https://payments.example/refunds", { order }, `refund ${order}`));
  }

  protected async ship(order: string) {
    const answer = await send("POST", "https://depot.example/parcels", { order }, order);
    if (answer.status === 409) throw new NonRetryableError(OUT_OF_STOCK);
    accepted(answer);
  }

  protected async book(order: string, status: "failed" | "shipped") {
    accepted(await send("PUT", `https://orders.example/orders/${order}`, { order, status }, ""));
  }
}

/** All services here do what has the same key only once; noting a status twice changes nothing. */
function send(method: string, url: string, body: object, key: string) {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key) headers["idempotency-key"] = key;
  return fetch(url, { method, headers, body: JSON.stringify(body) });
}

function accepted(answer: Response) {
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
}

export default {
  async fetch(request, env) {
    const order = await request.json<Order>();
    try {
      await env.ORDERS.create({ id: order.order, params: order });
    } catch (error) {
      // The client asks again when it got no answer.
      if (!String(error).includes("already_exists")) throw error;
    }
    return Response.json({ accepted: order.order }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
