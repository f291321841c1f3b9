/** Is each order that is paid shipped or refunded, and none that is cancelled shipped? */

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
const refunded = fetchCall("psp", "POST", { path: "/refunds" });
const shipped = fetchCall("depot", "POST", { path: "/parcels" });
const cancelled = fetchCall("shop", "PUT", { path: "/orders/:order" });

interface Checkouts {
  readonly [order: string]: "open" | "closed" | "paid";
}

/**
 * A checkout that is paid cannot be closed. Whether one that is closed can be paid, by somebody who has
 * its page still open, is up to the service.
 */
const psp = (takesLatePayments: boolean) =>
  external("psp", "psp.example", {
    dedupeBy: "idempotency-key",
    state: {},
    handle: (request, state: Checkouts) => {
      if (request.path === "/refunds") return { response: { status: 201 } };
      const { order } = request.body as { readonly order: string };
      const isPayment = request.path.endsWith("/payments");
      const before = state[order];
      let after = before;
      if (request.method === "PUT") after ??= "open";
      else if (isPayment && takesLatePayments && before === "closed") after = "paid";
      else if (before === "open") after = isPayment ? "paid" : "closed";
      return {
        state: after === undefined ? state : { ...state, [order]: after },
        response: {
          status: isPayment && after !== "paid" ? 409 : 200,
          body: { state: after ?? null },
        },
        applied: after !== before,
      };
    },
  });

/** A client who pays when the time is nearly up, or over; the service tells it a second later. */
export const question = (paysAfter: string, takesLatePayments: boolean) => ({
  name: "late-payment",
  drive: http([
    { path: "/orders", body: { order: "o-1" }, retry: true },
    { path: "/pay/o-1", method: "POST", after: paysAfter },
    { path: "/psp", body: { order: "o-1" }, after: "1 second", retry: true },
  ]),
  externals: [
    psp(takesLatePayments),
    external("depot", "depot.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/parcels", status: 201 }],
    }),
    external("shop", "shop.example", { responses: [{ method: "PUT", path: "/orders/:order" }] }),
  ],
  invariants: [
    implies(
      "paid-is-settled",
      [captured, "args.body.order"],
      [shipped, "args.body.order"],
      [refunded, "args.body.order"],
    ),
    notBoth("shipped-or-refunded", [shipped, "args.body.order"], [refunded, "args.body.order"]),
    notBoth("shipped-or-cancelled", [shipped, "args.body.order"], [cancelled, "args.body.order"]),
  ],
});

export default defineScenario({
  ...question("1799 seconds", false),
  setup: [workflow("ORDERS", "SellOrder")],
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 1 },
});
