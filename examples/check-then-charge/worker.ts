/**
 * Charges an order: POST /orders starts one Workflow instance, named after the order.
 *
 * A step may run more than once, and its author knows it: before it charges, it asks the payments
 * service whether that order is charged already. `charge.sim.ts` asks whether that is enough.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Order {
  readonly orderId: string;
  readonly amountCents: number;
}

interface Env {
  readonly ORDERS: Workflow<Order>;
}

const CHARGES = "https://payments.example/charges";

export class ChargeOrder extends WorkflowEntrypoint<Env, Order> {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const order = event.payload;
    const config = {
      retries: { limit: 3, delay: "10 seconds", backoff: "constant" },
      timeout: "30 seconds",
    } as const;
    await step.do("charge the order", config, () => this.chargeUnlessCharged(order));
    return { charged: order.orderId };
  }

  private async chargeUnlessCharged(order: Order): Promise<void> {
    const known = await fetch(`${CHARGES}/${order.orderId}`);
    if (known.ok) return;
    if (known.status !== 404) throw new Error(`asking for the charge gave ${known.status}`);
    const made = await fetch(CHARGES, {
      method: "POST",
      headers: this.headers(order),
      body: JSON.stringify(order),
    });
    if (!made.ok) throw new Error(`charging gave ${made.status}`);
  }

  /** Headers of a charge; `worker.fixed.ts` adds one. */
  protected headers(_order: Order): Record<string, string> {
    return { "content-type": "application/json" };
  }
}

export default {
  async fetch(request, env) {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/orders") {
      return new Response("only POST /orders\n", { status: 404 });
    }
    const order = await request.json<Order>();
    await env.ORDERS.create({ id: order.orderId, params: order });
    return Response.json({ accepted: order.orderId }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
