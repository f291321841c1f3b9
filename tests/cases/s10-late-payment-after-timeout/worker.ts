/**
 * Sells an order: opens a checkout, waits half an hour for the payment, and ships or cancels.
 *
 *     POST /orders        starts one Workflow instance, named after the order
 *     POST /pay/<order>   the client pays: handed on to the payment service
 *     POST /psp           the payment service tells that an order is paid
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Order {
  readonly order: string;
}

export interface Env {
  readonly ORDERS: Workflow<Order>;
}

export const CHECKOUTS = "https://psp.example/checkouts";

export class SellOrder extends WorkflowEntrypoint<Env, Order> {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const { order } = event.payload;
    await step.do("open", async () => {
      await send("PUT", `${CHECKOUTS}/${order}`, { order });
    });
    try {
      await step.waitForEvent("paid", { type: "paid", timeout: "30 minutes" });
    } catch {
      return await this.withoutPayment(order, step);
    }
    return await this.ship(order, step);
  }

  /** No payment has arrived in time; so there is none. `worker.fixed.ts` asks. */
  protected withoutPayment(order: string, step: WorkflowStep): Promise<string> {
    return this.cancel(order, step);
  }

  protected async cancel(order: string, step: WorkflowStep): Promise<string> {
    await step.do("cancel", async () => {
      await send("PUT", `https://shop.example/orders/${order}`, { order, status: "cancelled" });
    });
    return "cancelled";
  }

  protected async ship(order: string, step: WorkflowStep): Promise<string> {
    await step.do("ship", async () => {
      await send("POST", "https://depot.example/parcels", { order }, `ship ${order}`);
    });
    return "shipped";
  }
}

/** All services here do what has the same key only once. */
export async function send(method: string, url: string, body: object, key = ""): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key) headers["idempotency-key"] = key;
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
}

/** Starts an instance unless it was started before, by a request that was not heard. */
export async function startOnce(workflow: Workflow<Order>, id: string, params: Order) {
  try {
    await workflow.create({ id, params });
  } catch (error) {
    if (!String(error).includes("already_exists")) throw error;
  }
}

/** Tells an order that it is paid, unless it has ended. */
export async function tell(order: string, env: Env) {
  const instance = await env.ORDERS.get(order);
  try {
    await instance.sendEvent({ type: "paid", payload: {} });
  } catch (error) {
    if (!String(error).includes("not_running")) throw error;
  }
}

export default {
  async fetch(request: Request, env: Env, _context: ExecutionContext) {
    const [, route, order] = new URL(request.url).pathname.split("/");
    if (route === "pay" && order) {
      await send("POST", `${CHECKOUTS}/${order}/payments`, { order });
      return Response.json({ paid: order });
    }
    const body = await request.json<Order>();
    if (route === "psp") await tell(body.order, env);
    else await startOnce(env.ORDERS, body.order, body);
    return Response.json({ accepted: body.order }, { status: 202 });
  },
};
