/** Everything that a scenario can say; its twin in Python is everything_sim.py. */

import {
  always,
  atLeastOncePerKey,
  atMostOncePerKey,
  bindingCall,
  call,
  concurrently,
  createInstance,
  defineScenario,
  eventually,
  exactlyOncePerKey,
  external,
  fetchCall,
  fireSchedule,
  http,
  implies,
  never,
  notBoth,
  ordered,
  passTime,
  response,
  sendEvent,
  statusChange,
  stepResult,
  sumEquals,
  times,
  traceHolds,
  unique,
  workflow,
  workflowRows,
} from "eutaxy/cloudflare";

interface Balances {
  readonly [account: string]: number;
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly cents: number;
}

const opening: Balances = { alice: 100, bob: 0 };
const orders = workflowRows("ORDERS");
const created = bindingCall("ORDERS", "create");
const charged = fetchCall("bank", "POST", { path: "/charges" });
const shipped = fetchCall("depot", "POST", { path: "/parcels/:order" });

export default defineScenario({
  name: "everything",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  setup: [workflow("ORDERS", "OrderFlow", { mayFail: true, nextClass: "OrderFlow2" })],
  drive: [
    http([
      { path: "/orders", body: { id: "o-1" }, expectStatus: 202, retry: true },
      { path: "/orders/o-1", after: { event: "req-1" }, name: "look" },
      ...times(2, (n) => ({ path: `/orders/t-${n}`, method: "PUT", after: "5 minutes" })),
    ]),
    passTime("30 days"),
    concurrently(
      [
        http([{ path: "/webhook", body: "paid" }]),
        sendEvent("ORDERS", "o-1", { type: "paid", payload: { cents: 4200, $: [null] } }),
      ],
      { after: { event: "look", time: 500 } },
    ),
    createInstance("ORDERS", { id: "o-2", params: { id: "o-2", note: null } }),
    createInstance("ORDERS", { retention: { successRetention: "1 hour", errorRetention: 5000 } }),
    call("ORDERS", "terminate", { id: "o-2", options: { rollback: true }, name: "stop" }),
    call("ORDERS", "pause", { id: "o-1", after: "1 hour" }),
    fireSchedule("ORDERS", "30 4 1 * *", { name: "monthly" }),
    fireSchedule("ORDERS", "*/15 * * * MON-FRI"),
  ],
  externals: [
    external("bank", "bank.example", {
      dedupeBy: { body: "key" },
      dedupeWindow: "1 day",
      responses: [
        {
          method: "POST",
          path: "/charges",
          when: { "args.body.kind": "card", "args.body.tries": [1, null] },
          status: 402,
        },
        {
          method: "POST",
          path: "/charges",
          status: 201,
          body: { id: "{{args.body.id}}", ok: true },
          echo: true,
          latency: "40 minutes",
        },
        { path: "/charges/:id", once: "POST /charges" },
        { path: "/charges/*", status: 404 },
      ],
      failures: [429, 503],
      outage: "10 minutes",
    }),
    external("depot", "depot.example", {
      dedupeBy: { header: "Idempotency-Key" },
      responses: [{ method: "POST", path: "/parcels/:order", headers: { "X-Kind": "parcel" } }],
    }),
    external("vault", "vault.example", {
      dedupeBy: (request) => request.headers["x-key"] ?? null,
      state: opening,
      handle: (request, state) => {
        if (request.method === "GET") return { response: { body: state }, applied: false };
        const { from, to, cents }: Transfer = request.body;
        if ((state[from] ?? 0) < cents) return { response: { status: 409, body: "no money" } };
        const moved = { ...state, [from]: (state[from] ?? 0) - cents };
        return { state: { ...moved, [to]: (moved[to] ?? 0) + cents }, response: { status: 201 } };
      },
    }),
    external("mail", "mail.example", {
      dedupeBy: "x-mail-id",
      responses: [{ method: "POST", path: "/", body: "sent" }],
    }),
  ],
  invariants: [
    atMostOncePerKey("charged-once", charged, "args.body.id"),
    exactlyOncePerKey("mailed", fetchCall("mail"), "args.body.id", { keys: ["o-1", 2] }),
    atLeastOncePerKey("shipped", shipped, "args.body.id", { of: [created, "args.options.id"] }),
    never("no-failure", statusChange("ORDERS", "errored", { where: { "params.id": "o-1" } })),
    notBoth("sane", [stepResult("ORDERS", "refund"), "params.id"], [shipped, "args.body.id"]),
    ordered("paid-first", [charged, "args.body.id"], [shipped, "args.body.id"]),
    implies(
      "accepted-is-charged",
      [response("req-1", { status: 202, where: { "body.ok": true } }), "body.id"],
      [charged, "args.body.id"],
    ),
    never("no-teapot", response(undefined, { path: "/orders/:id", status: 418 })),
    unique("one-run", orders, "params.id"),
    sumEquals("money-kept", orders, "output.cents", 0),
    always("few", orders, (rows) => rows.length <= 5),
    eventually("done", orders, (rows) => rows.every((row) => row.status === "complete")),
    traceHolds("short", (trace) => trace.length < 1000),
  ],
  without: ["unkeyed-repeat"],
  silenced: ["unused-response"],
  bounds: {
    maxFaultsPerRun: 2,
    maxRedeliveries: 0,
    maxConcurrentInvocations: 2,
    budgetMs: 4000,
    faults: { crash: 2, answerLost: 1, storeFailed: 0, deployed: 1 },
    faultsAt: { ORDERS: 1, bank: { crash: 1 } },
  },
  downtime: 1500,
  profile: "local-2026-11",
});
