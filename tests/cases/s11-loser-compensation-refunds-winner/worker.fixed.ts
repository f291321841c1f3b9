/**
 * The same Worker. A cart has one instance, named after it; that the instance is there already is
 * as good as starting it. An order that is there already is this cart's order. Only when the shop
 * refuses the order is the money given back.
 */

import { type Cart, CompleteCart as Planted, type Env } from "./worker.ts";

export class CompleteCart extends Planted {
  protected override isRefused(status: number): boolean {
    return status === 422;
  }
}

export default {
  async fetch(request, env) {
    const cart = await request.json<Cart>();
    try {
      await env.COMPLETE.create({ id: `complete-${cart.cart}`, params: cart });
    } catch (error) {
      if (!String(error).includes("already exists")) throw error;
    }
    return Response.json({ completing: cart.cart }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
