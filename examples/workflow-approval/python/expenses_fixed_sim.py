"""The same questions to the corrected Worker."""

from eutaxy.cloudflare import (
    at_most_once_per_key,
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    unique,
    workflow,
    workflow_rows,
)

scenario = define_scenario(
    name="expenses",
    worker={"entry": "./worker_fixed.py", "config": "./wrangler.jsonc"},
    setup=[workflow("APPROVALS", "ExpenseApproval")],
    # One expense is filed; later the manager agrees.
    drive=http(
        [
            {
                "path": "/expenses",
                "body": {"expenseId": "exp-1", "employee": "e-7", "amountCents": 4200},
            },
            {"path": "/expenses/exp-1/decision", "body": {"approved": True, "by": "m-1"}},
        ]
    ),
    externals=[
        # A second request with a key that it knows is answered like the first, and pays nothing.
        external(
            "payouts",
            "payouts.example",
            dedupe_by="idempotency-key",
            responses=[
                {
                    "method": "POST",
                    "path": "/payouts",
                    "status": 201,
                    "body": {"payoutId": "po-1"},
                }
            ],
        )
    ],
    invariants=[
        at_most_once_per_key("paid-once", fetch_call("payouts", "POST"), "args.body.expenseId"),
        unique("one-run-per-expense", workflow_rows("APPROVALS"), "params.expenseId"),
    ],
    bounds=bounds(
        max_faults_per_run=1, max_redeliveries=2, max_concurrent_invocations=1, budget_ms=4000
    ),
)
