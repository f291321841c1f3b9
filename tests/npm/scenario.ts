/** Type-checked only: every function of the API with every member, and what must be refused. */

import {
  atMostOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  unique,
  workflow,
  workflowRows,
} from "eutaxy/cloudflare";

interface Order {
  readonly id: string;
  readonly note?: string;
}

const order: Order = { id: "o-1" };

export default defineScenario({
  name: "orders",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  setup: [workflow("ORDERS", "OrderFlow")],
  drive: http([
    { path: "/orders", body: order, headers: { "x-a": "b" }, after: "10 seconds" },
    { url: "https://shop.example/", method: "PUT", body: new Uint8Array(3), after: 5 },
  ]),
  externals: [
    external("bank", "bank.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/pay", status: 201, headers: {}, body: [order] }],
    }),
    external("mail", "mail.example"),
  ],
  invariants: [
    atMostOncePerKey("paid-once", fetchCall("bank", "POST"), "args.body.id"),
    atMostOncePerKey("called-once", fetchCall("bank"), "args.body.id"),
    unique("one-run", workflowRows("ORDERS"), "params.id"),
  ],
  bounds: { maxFaultsPerRun: 1, maxRedeliveries: 2, maxConcurrentInvocations: 1, budgetMs: 4000 },
  downtime: "2 seconds",
});

// @ts-expect-error a misspelt option
external("bank", "bank.example", { dedupBy: "idempotency-key" });
// @ts-expect-error rows are not calls
atMostOncePerKey("paid-once", workflowRows("ORDERS"), "args.body.id");
// @ts-expect-error calls are not rows
unique("one-run", fetchCall("bank"), "params.id");
// @ts-expect-error neither path nor url
http([{ body: 1 }]);
// @ts-expect-error both path and url
http([{ path: "/", url: "https://shop.example/" }]);
// @ts-expect-error the class is missing
workflow("ORDERS");
// @ts-expect-error most members are missing
defineScenario({ name: "orders" });
