"""Is a job billed once, with one entry in the journal, and do balance and journal agree?"""

from eutaxy.cloudflare import (
    at_most_once_per_key,
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    implies,
    workflow,
)

job = {"job": "j-1", "team": "t-1", "cents": 500}
debited = (fetch_call("accounts", "POST", path="/debits"), "args.body.job")
noted = (fetch_call("accounts", "POST", path="/journal"), "args.body.job")
rendered = (fetch_call("renderer", "POST"), "args.body.job")

scenario = define_scenario(
    name="credit-debit-step-retry",
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    setup=[workflow("RENDERS", "Render")],
    drive=http([{"path": "/renders", "body": job, "expect_status": 202}]),
    externals=[
        external(
            "accounts",
            "accounts.example",
            dedupe_by="idempotency-key",
            responses=[
                {"method": "POST", "path": "/debits"},
                {"method": "POST", "path": "/journal"},
            ],
        ),
        external(
            "renderer",
            "renderer.example",
            dedupe_by="idempotency-key",
            responses=[{"method": "POST", "path": "/jobs", "status": 202}],
        ),
    ],
    invariants=[
        at_most_once_per_key("debited-once", *debited),
        at_most_once_per_key("noted-once", *noted),
        implies("debit-is-noted", debited, noted),
        implies("rendered-is-debited", rendered, debited),
    ],
    bounds=bounds(max_faults_per_run=1),
)
