"""Once all events are delivered, does the database say what the provider says?"""

from eutaxy.cloudflare import (
    bounds,
    concurrently,
    define_scenario,
    external,
    http,
    not_both,
    response,
)


def database(request, row):
    """Tell the row, or write it; with a version, only over an older one."""
    if request["method"] == "GET":
        return {"response": {"body": row}, "applied": False}
    new = {**row, **request["body"]}
    if request["body"].get("version", row.get("version", 0) + 1) <= row.get("version", 0):
        return {"response": {"body": row}, "applied": False}
    return {"state": new, "response": {"body": new}}


def event(kind, status):
    """An event of the provider, delivered until it is answered."""
    return {
        "path": "/psp",
        "body": {"type": kind, "data": {"id": "sub-1", "status": status}},
        "name": kind,
        "expect_status": 200,
        "retry": True,
    }


question = {
    "name": "stale-active-revives-cancelled",
    # The subscription was changed and then cancelled; how the events travel is another matter.
    "drive": [
        concurrently([http([event("sub.updated", "active"), event("sub.deleted", "canceled")])]),
        http([{"path": "/orgs/sub-1", "name": "look", "after": {"event": "sub.deleted"}}]),
    ],
    "externals": [
        external(
            "psp",
            "psp.example",
            responses=[
                {"path": "/subscriptions/:id", "body": {"status": "canceled", "version": 3}}
            ],
        ),
        external("db", "db.example", state={"id": "sub-1", "status": "active"}, handle=database),
    ],
    "invariants": [
        not_both(
            "stays-cancelled",
            (response("sub.deleted", status=200), "body.id"),
            (response("look", where={"body.status": "active"}), "body.id"),
        )
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=0, max_redeliveries=0, max_concurrent_invocations=2),
)
