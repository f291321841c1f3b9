"""Everything that a scenario can say; its twin in TypeScript is everything.sim.ts."""

from eutaxy.cloudflare import (
    Data,
    Handled,
    Request,
    ServiceRequest,
    always,
    at_least_once_per_key,
    at_most_once_per_key,
    binding_call,
    bounds,
    call,
    concurrently,
    create_instance,
    define_scenario,
    eventually,
    exactly_once_per_key,
    external,
    fetch_call,
    fire_schedule,
    http,
    implies,
    never,
    not_both,
    ordered,
    pass_time,
    response,
    send_event,
    status_change,
    step_result,
    sum_equals,
    times,
    trace_holds,
    unique,
    workflow,
    workflow_rows,
)

orders = workflow_rows("ORDERS")
created = binding_call("ORDERS", "create")
charged = fetch_call("bank", "POST", path="/charges")
shipped = fetch_call("depot", "POST", path="/parcels/:order")


def numbered(n: int) -> Request:
    """One of several requests alike."""
    return {"path": f"/orders/t-{n}", "method": "PUT", "after": "5 minutes"}


def handle(request: ServiceRequest, state: Data) -> Handled:
    """Move money from one account to another."""
    if request["method"] == "GET":
        return {"response": {"body": state}, "applied": False}
    source, target, cents = (request["body"][name] for name in ("from", "to", "cents"))
    if state.get(source, 0) < cents:
        return {"response": {"status": 409, "body": "no money"}}
    moved = {**state, source: state.get(source, 0) - cents}
    moved[target] = moved.get(target, 0) + cents
    return {"state": moved, "response": {"status": 201}}


scenario = define_scenario(
    name="everything",
    worker={"entry": "./worker.ts", "config": "./wrangler.jsonc"},
    setup=[workflow("ORDERS", "OrderFlow", may_fail=True, next_class="OrderFlow2")],
    drive=[
        http(
            [
                {"path": "/orders", "body": {"id": "o-1"}, "expect_status": 202, "retry": True},
                {"path": "/orders/o-1", "after": {"event": "req-1"}, "name": "look"},
                *times(2, numbered),
            ]
        ),
        pass_time("30 days"),
        concurrently(
            [
                http([{"path": "/webhook", "body": "paid"}]),
                send_event("ORDERS", "o-1", type="paid", payload={"cents": 4200.0, "$": [None]}),
            ],
            after={"event": "look", "time": 500},
        ),
        create_instance("ORDERS", id="o-2", params={"id": "o-2", "note": None}),
        create_instance(
            "ORDERS", retention={"success_retention": "1 hour", "error_retention": 5000}
        ),
        call("ORDERS", "terminate", id="o-2", options={"rollback": True}, name="stop"),
        call("ORDERS", "pause", id="o-1", after="1 hour"),
        fire_schedule("ORDERS", "30 4 1 * *", name="monthly"),
        fire_schedule("ORDERS", "*/15 * * * MON-FRI"),
    ],
    externals=[
        external(
            "bank",
            "bank.example",
            dedupe_by={"body": "key"},
            dedupe_window="1 day",
            responses=[
                {
                    "method": "POST",
                    "path": "/charges",
                    "when": {"args.body.kind": "card", "args.body.tries": [1, None]},
                    "status": 402,
                },
                {
                    "method": "POST",
                    "path": "/charges",
                    "status": 201,
                    "body": {"id": "{{args.body.id}}", "ok": True},
                    "echo": True,
                    "latency": "40 minutes",
                },
                {"path": "/charges/:id", "once": "POST /charges"},
                {"path": "/charges/*", "status": 404},
            ],
            failures=[429, 503],
            outage="10 minutes",
        ),
        external(
            "depot",
            "depot.example",
            dedupe_by={"header": "Idempotency-Key"},
            responses=[
                {"method": "POST", "path": "/parcels/:order", "headers": {"X-Kind": "parcel"}}
            ],
        ),
        external(
            "vault",
            "vault.example",
            dedupe_by=lambda request: request["headers"].get("x-key"),
            state={"alice": 100, "bob": 0},
            handle=handle,
        ),
        external(
            "mail",
            "mail.example",
            dedupe_by="x-mail-id",
            responses=[{"method": "POST", "path": "/", "body": "sent"}],
        ),
    ],
    invariants=[
        at_most_once_per_key("charged-once", charged, "args.body.id"),
        exactly_once_per_key("mailed", fetch_call("mail"), "args.body.id", keys=["o-1", 2]),
        at_least_once_per_key("shipped", shipped, "args.body.id", of=(created, "args.options.id")),
        never("no-failure", status_change("ORDERS", "errored", where={"params.id": "o-1"})),
        not_both("sane", (step_result("ORDERS", "refund"), "params.id"), (shipped, "args.body.id")),
        ordered("paid-first", (charged, "args.body.id"), (shipped, "args.body.id")),
        implies(
            "accepted-is-charged",
            (response("req-1", status=202, where={"body.ok": True}), "body.id"),
            (charged, "args.body.id"),
        ),
        never("no-teapot", response(path="/orders/:id", status=418)),
        unique("one-run", orders, "params.id"),
        sum_equals("money-kept", orders, "output.cents", 0),
        always("few", orders, lambda rows: len(rows) <= 5),
        eventually("done", orders, lambda rows: all(row["status"] == "complete" for row in rows)),
        trace_holds("short", lambda trace: len(trace) < 1000),
    ],
    without=["unkeyed-repeat"],
    silenced=["unused-response"],
    bounds=bounds(
        max_faults_per_run=2,
        max_redeliveries=0,
        max_concurrent_invocations=2,
        budget_ms=4000,
        faults={"crash": 2, "answer_lost": 1, "store_failed": 0, "deployed": 1},
        faults_at={"ORDERS": 1, "bank": {"crash": 1}},
    ),
    downtime=1500,
    profile="local-2026-11",
)
