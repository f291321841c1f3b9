"""Does a link that was accepted stay, while an organisation is deleted?"""

from eutaxy.cloudflare import (
    bounds,
    define_scenario,
    external,
    fetch_call,
    http,
    not_both,
    response,
    workflow,
)


def database(request, state):
    """One organisation: its mark, and how many links it has."""
    what = request["method"], request["path"].removeprefix("/orgs/acme")
    if what == ("POST", "/links"):
        if state["is_marked"]:
            return {"response": {"status": 409}, "applied": False}
        return {"state": {**state, "links": state["links"] + 1}, "response": {"status": 201}}
    if what == ("PUT", "/mark"):
        if state["is_marked"]:
            return {"response": {"status": 409}, "applied": False}
        return {"state": {**state, "is_marked": True}, "response": {"status": 201}}
    if what == ("DELETE", "/mark"):
        return {"state": {**state, "is_marked": False}, "response": {}}
    if what == ("DELETE", "/links"):
        return {"state": {**state, "links": 0}, "response": {}}
    return {"response": {}}


accepted = response("link", status=201)
removed = fetch_call("db", "DELETE", path="/orgs/:org/links")

question = {
    "name": "create-answer-lost",
    "setup": [workflow("ORG_DELETE", "OrgDelete")],
    # The link is asked for once the client knows that the organisation will be deleted: it goes on
    # asking until it is answered.
    "drive": http(
        [
            {
                "path": "/orgs/acme",
                "method": "DELETE",
                "name": "delete",
                "expect_status": 202,
                "retry": True,
            },
            {
                "path": "/orgs/acme/links",
                "method": "POST",
                "name": "link",
                "after": {"event": "delete"},
            },
        ]
    ),
    "externals": [
        external("db", "db.example", state={"is_marked": False, "links": 0}, handle=database)
    ],
    "invariants": [not_both("accepted-link-stays", (accepted, "path"), (removed, "args.path"))],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=1, max_redeliveries=0),
)
