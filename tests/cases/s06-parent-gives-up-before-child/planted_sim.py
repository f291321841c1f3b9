"""Is a job booked as done exactly when its picture is there?"""

from eutaxy.cloudflare import (
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    implies,
    not_both,
    workflow,
)


def booked(state):
    return (fetch_call("shop", "PUT", where={"args.body.state": state}), "args.body.job")


stored = (fetch_call("store", "PUT", path="/out/:job"), "args.body.job")

question = {
    "name": "parent-gives-up",
    "drive": http([{"path": "/jobs", "body": {"job": "cat"}, "retry": True}]),
    "externals": [
        # There are many jobs today.
        external(
            "gpu",
            "gpu.example",
            responses=[{"method": "POST", "path": "/renders", "latency": "40 minutes"}],
        ),
        external("store", "store.example", responses=[{"method": "PUT", "path": "/out/:job"}]),
        external("shop", "shop.example", responses=[{"method": "PUT", "path": "/jobs/:job"}]),
    ],
    "invariants": [
        not_both("rendered-or-failed", stored, booked("failed")),
        implies("rendered-is-done", stored, booked("done")),
        implies("done-is-rendered", booked("done"), stored),
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    # The instance that finds nobody to tell ends errored.
    setup=[workflow("JOBS", "DoJob"), workflow("RENDERS", "Render", may_fail=True)],
    bounds=bounds(max_faults_per_run=1),
)
