"""Does a customer get what was bought, and only once?"""

from eutaxy.cloudflare import (
    bounds,
    define_scenario,
    exactly_once_per_key,
    external,
    fetch_call,
    http,
)


def accounts(request, state):
    """Add credits, unless they are for an event that is noted already."""
    body = request["body"]
    if body.get("event") in state["events"]:
        return {"response": {"status": 409}, "applied": False}
    events = [*state["events"], body["event"]] if "event" in body else state["events"]
    total = state["credits"] + body["credits"]
    return {"state": {"events": events, "credits": total}, "response": {"body": total}}


event = {"id": "ev-1", "type": "checkout.completed", "user": "u-1", "credits": 100}

question = {
    "name": "webhook-credit-not-deduped",
    # The provider delivers an event until it is answered, and may deliver it again then.
    "drive": http([{"path": "/psp", "body": event, "expect_status": 200, "retry": True}]),
    "externals": [
        external(
            "accounts",
            "accounts.example",
            state={"events": [], "credits": 0},
            handle=accounts,
            failures=[503],
        )
    ],
    # There is one checkout, so one credit is what all of them add up to.
    "invariants": [
        exactly_once_per_key(
            "credited-once", fetch_call("accounts"), "args.body.user", keys=["u-1"]
        )
    ],
}

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=1, max_redeliveries=1, max_concurrent_invocations=2),
)
