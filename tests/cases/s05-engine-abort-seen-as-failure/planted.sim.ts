/** Is no order both refunded and shipped? */

import {
  call,
  defineScenario,
  external,
  fetchCall,
  http,
  notBoth,
  workflow,
} from "eutaxy/cloudflare";

const refunded = fetchCall("payments", "POST", { path: "/refunds" });
const shipped = fetchCall("depot", "POST", { where: { "answer.status": 201 } });
const noted = (status: string) =>
  fetchCall("orders", "PUT", { where: { "args.body.status": status } });

export const question = {
  name: "engine-abort",
  setup: [workflow("ORDERS", "FulfilOrder", { mayFail: true })],
  drive: [
    http([
      { path: "/orders", body: { order: "sold-out" }, retry: true },
      { path: "/orders", body: { order: "in-stock" }, retry: true, after: "1 minute" },
    ]),
    // The parcel takes five seconds; meanwhile the engine is stopped, and started again.
    call("ORDERS", "pause", { id: "in-stock", after: { event: "req-2", time: "2 seconds" } }),
    call("ORDERS", "resume", { id: "in-stock", after: "1 minute" }),
  ],
  externals: [
    external("payments", "payments.example", {
      dedupeBy: "idempotency-key",
      responses: [
        { method: "POST", path: "/charges", status: 201 },
        { method: "POST", path: "/refunds", status: 201 },
      ],
    }),
    external("depot", "depot.example", {
      dedupeBy: "idempotency-key",
      responses: [
        { method: "POST", path: "/parcels", when: { "args.body.order": "sold-out" }, status: 409 },
        { method: "POST", path: "/parcels", status: 201, latency: "5 seconds" },
      ],
    }),
    external("orders", "orders.example", {
      responses: [{ method: "PUT", path: "/orders/:order" }],
    }),
  ],
  invariants: [
    notBoth("refunded-or-shipped", [refunded, "args.body.order"], [shipped, "args.body.order"]),
    notBoth(
      "noted-once",
      [noted("failed"), "args.body.order"],
      [noted("shipped"), "args.body.order"],
    ),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  profile: "local-2026-11",
  bounds: { maxFaultsPerRun: 1 },
});
