/**
 * The corrected Worker for a payment service that takes payments for closed checkouts too. The news
 * of a payment becomes an instance of its own, which sees how the order ends, and refunds what is
 * cancelled: an event that the order has accepted need not be heard.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import planted, { type Env as PlantedEnv, type Order, send, startOnce, tell } from "./worker.ts";

export { SellOrder } from "./worker.fixed.ts";

interface Env extends PlantedEnv {
  readonly PAYMENTS: Workflow<Order>;
}

export class SettlePayment extends WorkflowEntrypoint<Env, Order> {
  override async run(event: Readonly<WorkflowEvent<Order>>, step: WorkflowStep) {
    const { order } = event.payload;
    await step.do("tell", () => tell(order, this.env));
    for (let look = 1; ; look++) {
      const { status, output } = await step.do(`look ${look}`, async () => {
        const instance = await this.env.ORDERS.get(order);
        const now = await instance.status();
        return { status: now.status, output: String(now.output) };
      });
      if (status === "complete" && output === "cancelled") {
        await step.do("refund", async () => {
          await send("POST", "https://psp.example/refunds", { order }, `refund ${order}`);
        });
      }
      if (status === "complete") return;
      await step.sleep(`before look ${look + 1}`, "10 minutes");
    }
  }
}

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/psp") return planted.fetch(request, env, context);
    const { order } = await request.json<Order>();
    await startOnce(env.PAYMENTS, `paid-${order}`, { order });
    return Response.json({ accepted: order }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
