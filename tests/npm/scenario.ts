/** Type-checked only: every function of the API with every member, and what must be refused. */

import {
  always,
  atLeastOncePerKey,
  atMostOncePerKey,
  bindingCall,
  call,
  defineScenario,
  exactlyOncePerKey,
  external,
  fetchCall,
  http,
  implies,
  ordered,
  response,
  sendEvent,
  statusChange,
  stepResult,
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
// @ts-expect-error a misspelt root of a key path
atMostOncePerKey("paid-once", fetchCall("bank"), "arg.body.id");
// @ts-expect-error a misspelt member of a request
atMostOncePerKey("paid-once", fetchCall("bank"), "args.boddy.id");
// @ts-expect-error a key path of requests in an invariant about steps
atMostOncePerKey("paid-once", stepResult("ORDERS"), "args.body.id");
// @ts-expect-error a key path into rows that they do not have
unique("one-run", workflowRows("ORDERS"), "param.id");
// @ts-expect-error a condition that no request can have
fetchCall("bank", "POST", { where: { "body.id": 1 } });
// @ts-expect-error a status that no instance has
statusChange("ORDERS", "failed");
// @ts-expect-error an operation that no binding has
bindingCall("ORDERS", "crate");
// @ts-expect-error a selector without its key path
ordered("paid-first", fetchCall("bank"), [fetchCall("depot"), "args.body.id"]);
// @ts-expect-error the second key path does not fit its selector
implies("paid", [response(), "body.id"], [fetchCall("bank"), "body.id"]);
// @ts-expect-error which keys are expected is not said
exactlyOncePerKey("paid", fetchCall("bank"), "args.body.id", {});
// @ts-expect-error they are said twice
atLeastOncePerKey("paid", fetchCall("bank"), "args.body.id", { keys: [1], of: [response(), "path"] });
// @ts-expect-error an event has a type
sendEvent("ORDERS", "o-1", { payload: 1 });
// @ts-expect-error creating is no operation on an instance
call("ORDERS", "create", { id: "o-1" });
// @ts-expect-error a predicate says true or false
always("few", workflowRows("ORDERS"), (rows) => rows.length);
// @ts-expect-error rows have no such member
always("few", workflowRows("ORDERS"), (rows) => rows.every((row) => row.state === "complete"));
// @ts-expect-error canned responses and a function
external("bank", "bank.example", { state: 0, handle: (_, n) => ({ response: {}, state: n }), responses: [] });
// @ts-expect-error the state is a number
external("bank", "bank.example", {
  state: 0,
  handle: (request, state) => ({ state: `${state}${request.method}`, response: { status: 200 } }),
});
// @ts-expect-error no such fault
defineScenario({ name: "x", worker: { config: "w" }, drive: [], bounds: { faults: { crsh: 1 } } });
// @ts-expect-error no such built-in invariant
defineScenario({ name: "x", worker: { config: "w" }, drive: [], without: ["stuk"] });
// @ts-expect-error no such profile
defineScenario({ name: "x", worker: { config: "w" }, drive: [], profile: "production" });
