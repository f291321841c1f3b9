/** Is there one shipment for an order, and is it the one that the order names? */

import {
  atMostOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  implies,
  unique,
  workflow,
  workflowRows,
} from "eutaxy/cloudflare";

const printed = fetchCall("carrier", "POST", { path: "/labels" });
const linked = fetchCall("shop", "PUT", { path: "/orders/:order" });

export const question = {
  name: "child-created-outside-step",
  setup: [workflow("ORDERS", "ProcessOrder"), workflow("SHIPMENTS", "ShipOrder")],
  drive: http([{ path: "/orders", body: { order: "o-1" }, retry: true }]),
  externals: [
    external("carrier", "carrier.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/labels", status: 201 }],
    }),
    external("shop", "shop.example", { responses: [{ method: "PUT", path: "/orders/:order" }] }),
  ],
  invariants: [
    unique("one-shipment", workflowRows("SHIPMENTS"), "params.order"),
    atMostOncePerKey("one-label", printed, "args.body.order"),
    implies("linked-is-printed", [linked, "args.body.shipment"], [printed, "args.body.shipment"]),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 1 },
});
