"""Is a job billed once? The debit and its entry in the journal are one transaction here."""

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
debited = (fetch_call("accounts", "POST", path="/transactions"), "args.body.debit.job")
rendered = (fetch_call("renderer", "POST"), "args.body.job")

scenario = define_scenario(
    name="credit-debit-step-retry",
    worker={"entry": "./worker_fixed.py", "config": "./wrangler.jsonc"},
    setup=[workflow("RENDERS", "Render")],
    drive=http([{"path": "/renders", "body": job, "expect_status": 202}]),
    externals=[
        external(
            "accounts",
            "accounts.example",
            dedupe_by="idempotency-key",
            responses=[{"method": "POST", "path": "/transactions"}],
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
        implies("rendered-is-debited", rendered, debited),
    ],
    bounds=bounds(max_faults_per_run=2),
)
