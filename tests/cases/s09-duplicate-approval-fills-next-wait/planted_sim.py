"""Is an expense paid only if a manager has agreed, and finance too?"""

from eutaxy.cloudflare import (
    at_most_once_per_key,
    binding_call,
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    ordered,
    workflow,
)


def approved_by(user):
    approval = binding_call("EXPENSES", "sendEvent", where={"args.options.payload.by": user})
    return (approval, "args.id")


def approve(user):
    return {
        "path": "/approve/trip",
        "method": "POST",
        "headers": {"x-user": user},
        "after": "1 hour",
        "retry": True,
    }


paid = fetch_call("bank", "POST", path="/transfers")

question = {
    "name": "duplicate-approval",
    "setup": [workflow("EXPENSES", "PayExpense")],
    "drive": http(
        [
            {"path": "/expenses", "body": {"id": "trip", "cents": 4200}, "retry": True},
            approve("mia"),
            approve("finn"),
        ]
    ),
    "externals": [
        external(
            "bank",
            "bank.example",
            dedupe_by="idempotency-key",
            responses=[{"method": "POST", "path": "/transfers", "status": 201}],
        )
    ],
    "invariants": [
        ordered("a-manager-agreed", approved_by("mia"), (paid, "args.body.expense")),
        ordered("finance-agreed", approved_by("finn"), (paid, "args.body.expense")),
        at_most_once_per_key("paid-once", paid, "args.body.expense"),
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=1, max_redeliveries=1),
)
