import {
  atMostOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  workflow,
} from "eutaxy/cloudflare";

export default defineScenario({
  name: "charge-once",
  worker: { entry: "./worker.fixed.ts", config: "./wrangler.jsonc" },
  setup: [workflow("ORDERS", "ChargeOrder")],
  drive: http([{ path: "/orders", body: { orderId: "ord-1", amountCents: 1999 } }]),
  externals: [
    external("payments", "payments.example", {
      dedupeBy: "idempotency-key",
      // The service tells the truth: it knows the charge from the moment it is made. The first
      // response that matches is given.
      responses: [
        {
          method: "GET",
          path: "/charges/ord-1",
          once: "POST /charges",
          body: { orderId: "ord-1", amountCents: 1999 },
        },
        { method: "GET", path: "/charges/ord-1", status: 404, body: { error: "no such charge" } },
        { method: "POST", path: "/charges", status: 201, body: { orderId: "ord-1" } },
      ],
    }),
  ],
  invariants: [
    atMostOncePerKey("charged-once", fetchCall("payments", "POST"), "args.body.orderId"),
  ],
  bounds: { maxFaultsPerRun: 2, maxRedeliveries: 1 },
});
