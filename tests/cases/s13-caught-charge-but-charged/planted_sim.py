"""Is every charged order shipped, and none that was cancelled charged?"""

from eutaxy.cloudflare import (
    at_most_once_per_key,
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    implies,
    not_both,
    workflow,
)


def payments(request, state):
    """Charge an order, once; tell whether it is charged; or see to it that it never will be."""
    if request["method"] == "POST":
        order = request["body"]["order"]
        if state.get(order) == "void":
            return {"response": {"status": 410}, "applied": False}
        is_new = order not in state
        return {
            "state": {**state, order: "charged"},
            "response": {"status": 201},
            "applied": is_new,
        }
    order = request["path"].removeprefix("/charges/")
    if request["method"] == "GET":
        is_charged = state.get(order) == "charged"
        return {"response": {"status": 200 if is_charged else 404}, "applied": False}
    if state.get(order) == "charged":
        return {"response": {"status": 409}, "applied": False}
    return {"state": {**state, order: "void"}, "response": {"status": 200}}


charged = (fetch_call("payments", "POST"), "args.body.order")
cancelled = (fetch_call("shop", "POST"), "args.body.order")
shipped = (fetch_call("depot", "POST"), "args.body.order")

question = {
    "name": "caught-charge-but-charged",
    "setup": [workflow("ORDERS", "Order")],
    "drive": http([{"path": "/orders", "body": {"order": "o-1"}, "expect_status": 202}]),
    "externals": [
        # Its answers may be lost for as long as all attempts of a charge take.
        external("payments", "payments.example", state={}, handle=payments, outage="1 minute"),
        external(
            "shop",
            "shop.example",
            dedupe_by="idempotency-key",
            responses=[{"method": "POST", "path": "/cancellations"}],
        ),
        external(
            "depot",
            "depot.example",
            dedupe_by="idempotency-key",
            responses=[{"method": "POST", "path": "/parcels", "status": 201}],
        ),
    ],
    "invariants": [
        implies("charged-is-shipped", charged, shipped),
        not_both("charged-is-not-cancelled", charged, cancelled),
        at_most_once_per_key("shipped-once", *shipped),
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=1),
)
