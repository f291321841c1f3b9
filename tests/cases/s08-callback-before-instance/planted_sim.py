"""Is each report published whose renderer was told that its callback has arrived?"""

from eutaxy.cloudflare import (
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    implies,
    response,
    workflow,
)

export = {"path": "/exports", "body": {"job": "job-1"}, "retry": True}
rendered = {"url": "https://files.example/1.pdf"}
callback = {"path": "/cb/job-1", "body": rendered, "retry": True}

question = {
    "name": "callback-before-instance",
    "externals": [
        # The renderer is quick, and its answer slow.
        external(
            "renderer",
            "renderer.example",
            responses=[
                {"method": "PUT", "path": "/jobs/:job", "latency": "10 seconds"},
                {"path": "/jobs/job-1", "once": "PUT /jobs/:job", "body": rendered},
            ],
        ),
        external("site", "site.example", responses=[{"method": "PUT", "path": "/reports/:job"}]),
    ],
    "invariants": [
        implies(
            "called-back-is-published",
            (response(status=200, path="/cb/:job"), "segments.1"),
            (fetch_call("site", "PUT"), "args.segments.1"),
        )
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.ts", "config": "./wrangler.jsonc"},
    # The instance that waits in vain ends errored.
    setup=[workflow("EXPORTS", "ExportReport", may_fail=True)],
    drive=http([export, {**callback, "after": "5 seconds"}]),
    bounds=bounds(max_faults_per_run=1),
)
