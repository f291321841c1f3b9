"""Is each invoice of a batch mailed once?"""

from eutaxy.cloudflare import (
    at_least_once_per_key,
    at_most_once_per_key,
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    workflow,
)

invoices = [
    {"id": "inv-1", "to": "ada@client.example"},
    {"id": "inv-2", "to": "bob@client.example"},
]
mailed = fetch_call("mail", "POST", path="/messages")

question = {
    "name": "timestamped-step-name",
    "setup": [workflow("INVOICES", "SendInvoices")],
    "drive": http(
        [{"path": "/batches", "body": {"id": "june", "invoices": invoices}, "retry": True}]
    ),
    "externals": [
        external(
            "mail",
            "mail.example",
            dedupe_by="idempotency-key",
            responses=[{"method": "POST", "path": "/messages", "status": 202}],
        )
    ],
    "invariants": [
        at_most_once_per_key("mailed-at-most-once", mailed, "args.body.invoice"),
        at_least_once_per_key(
            "mailed-at-last", mailed, "args.body.invoice", keys=[each["id"] for each in invoices]
        ),
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=1),
)
