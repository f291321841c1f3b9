/**
 * Prepares the shipment of an order, gives the client two hours to change their mind, and then
 * links the order to its shipment.
 *
 *     POST /orders   starts one Workflow instance, named after the order
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Order {
  readonly order: string;
}

export interface Env {
  readonly ORDERS: Workflow<Order>;
  readonly SHIPMENTS: Workflow<Order>;
}

export class ProcessOrder extends WorkflowEntrypoint<Env, Order> {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const { order } = event.payload;
    const shipment = await this.startShipment(order, step);
    await step.sleep("time to change one's mind", "2 hours");
    await step.do("link", () => send("PUT", `https://shop.example/orders/${order}`, { shipment }));
  }

  protected async startShipment(order: string, _step: WorkflowStep): Promise<string> {
    const shipment = await this.env.SHIPMENTS.create({ params: { order } });
    return shipment.id;
  }
}

export class ShipOrder extends WorkflowEntrypoint<Env, Order> {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const { order } = event.payload;
    const label = { order, shipment: event.instanceId };
    await step.do("print the label", async () => {
      await send("POST", "https://carrier.example/labels", label, this.headers(order));
    });
  }

  /** Headers of a label; `worker.fixed.ts` adds one. */
  protected headers(_order: string): Record<string, string> {
    return {};
  }
}

async function send(method: string, url: string, body: object, more: Record<string, string> = {}) {
  const headers = { "content-type": "application/json", ...more };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
}

/** Starts an instance unless it was started before, by a request or an attempt that was not heard. */
export async function startOnce(workflow: Workflow<Order>, id: string, params: Order) {
  try {
    await workflow.create({ id, params });
  } catch (error) {
    if (!String(error).includes("already_exists")) throw error;
  }
}

export default {
  async fetch(request, env) {
    const order = await request.json<Order>();
    await startOnce(env.ORDERS, order.order, order);
    return Response.json({ accepted: order.order }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
