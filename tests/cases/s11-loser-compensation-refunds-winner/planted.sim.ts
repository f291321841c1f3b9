/** Is a cart that became an order paid, and is no money kept for one that did not? */

import {
  atMostOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  implies,
  notBoth,
  workflow,
} from "eutaxy/cloudflare";

export const cart = { cart: "c-1" };
const captured = fetchCall("psp", "POST", { path: "/captures" });
const refunded = fetchCall("psp", "POST", { path: "/refunds" });
const ordered = fetchCall("shop", "POST", { path: "/orders" });
const shipped = fetchCall("depot", "POST", { path: "/parcels" });

export const question = {
  name: "loser-compensation",
  setup: [workflow("COMPLETE", "CompleteCart", { mayFail: true })],
  drive: http([
    { path: "/return", body: cart, expectStatus: 202, retry: true },
    { path: "/psp-webhook", body: cart, expectStatus: 202, retry: true },
  ]),
  externals: [
    external("psp", "psp.example", {
      dedupeBy: "idempotency-key",
      responses: [
        { method: "POST", path: "/captures", status: 201 },
        { method: "POST", path: "/refunds", status: 201 },
      ],
    }),
    // A cart becomes an order once, unless it is sold out.
    external("shop", "shop.example", {
      state: [] as string[],
      handle({ body }, carts) {
        if (body.cart === "sold-out") return { response: { status: 422 }, applied: false };
        if (carts.includes(body.cart)) return { response: { status: 409 }, applied: false };
        return { state: [...carts, body.cart], response: { status: 201 } };
      },
    }),
    external("depot", "depot.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/parcels", status: 201 }],
    }),
  ],
  invariants: [
    notBoth("an-order-keeps-its-payment", [ordered, "args.body.cart"], [refunded, "args.body.cart"]),
    implies(
      "captured-is-ordered-or-refunded",
      [captured, "args.body.cart"],
      [ordered, "args.body.cart"],
      [refunded, "args.body.cart"],
    ),
    implies("ordered-is-shipped", [ordered, "args.body.cart"], [shipped, "args.body.cart"]),
    atMostOncePerKey("captured-once", captured, "args.body.cart"),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 0 },
});
