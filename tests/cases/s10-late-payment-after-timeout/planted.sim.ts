/** Is each order that is paid shipped, and none that is cancelled? */

import {
  defineScenario,
  external,
  fetchCall,
  http,
  implies,
  notBoth,
  workflow,
} from "eutaxy/cloudflare";

const captured = fetchCall("psp", "POST", { path: "/checkouts/:order/payments" });
const shipped = fetchCall("depot", "POST", { path: "/parcels" });
const cancelled = fetchCall("shop", "PUT", { path: "/orders/:order" });

interface Checkouts {
  readonly [order: string]: "open" | "closed" | "paid";
}

/** A checkout that is paid cannot be closed, and one that is closed cannot be paid. */
const psp = external("psp", "psp.example", {
  state: {},
  handle: (request, state: Checkouts) => {
    const { order } = request.body as { readonly order: string };
    const isPayment = request.path.endsWith("/payments");
    const before = state[order];
    let after = before;
    if (request.method === "PUT") after ??= "open";
    else if (before === "open") after = isPayment ? "paid" : "closed";
    return {
      state: after === undefined ? state : { ...state, [order]: after },
      response: { status: isPayment && after !== "paid" ? 409 : 200, body: { state: after ?? null } },
      applied: after !== before,
    };
  },
});

/** A client who pays a second before the time is up; the service tells it a second later. */
export const question = {
  name: "late-payment",
  setup: [workflow("ORDERS", "SellOrder")],
  drive: http([
    { path: "/orders", body: { order: "o-1" }, retry: true },
    { path: "/pay/o-1", method: "POST", after: "1799 seconds" },
    { path: "/psp", body: { order: "o-1" }, after: "1 second", retry: true },
  ]),
  externals: [
    psp,
    external("depot", "depot.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/parcels", status: 201 }],
    }),
    external("shop", "shop.example", { responses: [{ method: "PUT", path: "/orders/:order" }] }),
  ],
  invariants: [
    implies("paid-is-shipped", [captured, "args.body.order"], [shipped, "args.body.order"]),
    notBoth("shipped-or-cancelled", [shipped, "args.body.order"], [cancelled, "args.body.order"]),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 1 },
});
