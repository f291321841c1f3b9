/**
 * Completes a cart: takes the money, makes the order, ships it.
 *
 *     POST /return        the browser comes back from the payment page
 *     POST /psp-webhook   the payment provider tells that the customer has paid
 *
 * Whichever comes first is to complete the cart, so both start a Workflow instance.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";

export interface Cart {
  readonly cart: string;
}

export interface Env {
  readonly COMPLETE: Workflow<Cart>;
}

async function post(url: string, { cart }: Cart, key?: string): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify({ cart }),
  });
  if (answer.status >= 500) throw new Error(`${url} answered ${answer.status}`);
  return answer.status;
}

export class CompleteCart extends WorkflowEntrypoint<Env, Cart> {
  override async run(event: Readonly<WorkflowEvent<Cart>>, step: WorkflowStep) {
    const cart = event.payload;
    try {
      await step.do("capture", async () => {
        await post("https://psp.example/captures", cart, `capture-${cart.cart}`);
      });
      await step.do("order", async () => {
        const status = await post("https://shop.example/orders", cart);
        if (this.isRefused(status)) throw new NonRetryableError(`no order: ${status}`);
      });
    } catch (error) {
      await step.do("undo", async () => {
        await post("https://psp.example/refunds", cart, `undo-${cart.cart}`);
      });
      throw error;
    }
    await step.do("ship", async () => {
      await post("https://depot.example/parcels", cart, `ship-${cart.cart}`);
    });
  }

  /** Whether the shop will not have this order: 409 when there is one, 422 when it is sold out. */
  protected isRefused(status: number): boolean {
    return status !== 201;
  }
}

export default {
  async fetch(request, env) {
    const cart = await request.json<Cart>();
    await env.COMPLETE.create({ params: cart });
    return Response.json({ completing: cart.cart }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
