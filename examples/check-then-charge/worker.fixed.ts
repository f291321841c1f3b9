/**
 * The same Worker with the decision moved to where it can be made: the payments service knows all
 * requests, so it can refuse to charge the same order twice, if each request says which order it
 * is. Asking first is then only a way to save a request.
 */

import { ChargeOrder as Planted, type Order } from "./worker.ts";

export { default } from "./worker.ts";

export class ChargeOrder extends Planted {
  protected override headers(order: Order): Record<string, string> {
    return { ...super.headers(order), "idempotency-key": `charge-${order.orderId}` };
  }
}
