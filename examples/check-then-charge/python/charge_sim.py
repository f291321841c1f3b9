"""Is an order charged once, whatever the platform does?"""

from eutaxy.cloudflare import (
    at_most_once_per_key,
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    workflow,
)

scenario = define_scenario(
    name="charge-once",
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    setup=[workflow("ORDERS", "ChargeOrder")],
    drive=http([{"path": "/orders", "body": {"orderId": "ord-1", "amountCents": 1999}}]),
    externals=[
        external(
            "payments",
            "payments.example",
            dedupe_by="idempotency-key",
            # The service tells the truth: it knows the charge from the moment it is made. The
            # first response that matches is given.
            responses=[
                {
                    "method": "GET",
                    "path": "/charges/ord-1",
                    "once": "POST /charges",
                    "body": {"orderId": "ord-1", "amountCents": 1999},
                },
                {
                    "method": "GET",
                    "path": "/charges/ord-1",
                    "status": 404,
                    "body": {"error": "no such charge"},
                },
                {"method": "POST", "path": "/charges", "status": 201, "body": {"orderId": "ord-1"}},
            ],
        )
    ],
    invariants=[
        at_most_once_per_key("charged-once", fetch_call("payments", "POST"), "args.body.orderId")
    ],
    bounds=bounds(max_faults_per_run=1, max_redeliveries=1),
)
