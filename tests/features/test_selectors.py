"""Each selector tells a planted program from its twin."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._base.scenario import Never, Seen, Selector
from eutaxy._base.value import Plain, encode
from eutaxy.testing import Failed, call, sleep, step
from tests.features.feature import (
    FLOW,
    TARGET,
    Feature,
    Programs,
    answer,
    assert_told_apart,
    bank,
    canned,
    create,
    http,
    post,
    posts,
    responses,
    scenario,
    steps,
    worker,
)
from tests.unit.platform.lab import retries


def never(selector: Selector) -> tuple[Never]:
    """Nothing of this may happen."""
    return (Never(name="none", selector=selector),)


def when(**members: Plain) -> tuple[tuple[str, Any], ...]:
    """Conditions of a selector; `__` stands for a dot."""
    return tuple((name.replace("__", "."), encode(value)) for name, value in members.items())


def correcting(*, path: str, kind: str) -> Programs:
    """Pays something else when paying has failed."""

    def handle(_: Any) -> Any:
        try:
            yield post(kind="card", key="a")
        except Failed:
            yield post(path, kind=kind, key="b")

    return worker(handle)


def creating(operation: str) -> Programs:
    """Makes a call of the binding when another has failed."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            yield call(TARGET, operation, id="a")

    return worker(handle, flow=flow)


def flow(_: Any) -> Any:
    """A Workflow that only sleeps."""
    yield sleep("a while", "1 hour")


def deciding(*, value: Plain = "paid", retry: int = 5) -> Programs:
    """A step that says how it ended, and the Workflow with it."""

    def pay(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            if retry == 0:
                raise
            return value
        return "paid"

    def flow(_: Any) -> Any:
        return (yield step("pay", pay, retries(retry, 0)))

    return worker(answer, flow=flow)


def answering(status: int, body: Plain = None) -> Programs:
    """Answers so when paying has failed."""

    def handle(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            return answer(status, body)
        return answer(200, "paid")

    return worker(orders=handle, other=handle)


LOST = ("request_lost", "answer_lost")
AT_BANK = "effect #1 (Fetch:bank POST)"
A = "workflow:FLOW:a#0"
ONLY_LOST = (("crash", 0), ("answer_late", 0), ("store_failed", 0))


def by_lost(claim: str, at: str = f"req-1 {AT_BANK}") -> tuple[Any, ...]:
    """The same claim for both ways of losing a call."""
    return tuple(((f"{fault} at {at}",), claim) for fault in LOST)


FEATURES = {
    "path of a request": Feature(
        planted=correcting(path="/refund", kind="card"),
        fixed=correcting(path="/pay", kind="card"),
        scenario=scenario(http("req-1"), invariants=never(posts("/refund"))),
        invariant="none",
        witnesses=by_lost("Fetch:bank POST happened (seq 4)"),
    ),
    "pattern of a path": Feature(
        planted=correcting(path="/pay/2/more", kind="card"),
        fixed=correcting(path="/pay", kind="card"),
        scenario=scenario(
            http("req-1"),
            invariants=never(posts("/pay/:id/*")),
            external=bank(canned(path="/pay/*")),
        ),
        invariant="none",
        witnesses=by_lost("Fetch:bank POST happened (seq 4)"),
    ),
    "condition on a request": Feature(
        planted=correcting(path="/pay", kind="cash"),
        fixed=correcting(path="/pay", kind="card"),
        scenario=scenario(
            http("req-1"), invariants=never(posts("", where=when(args__body__kind="cash")))
        ),
        invariant="none",
        witnesses=by_lost("Fetch:bank POST happened (seq 4)"),
    ),
    "call of a binding": Feature(
        planted=creating("terminate"),
        fixed=creating("status"),
        scenario=scenario(
            create(),
            http("req-1"),
            invariants=never(Selector(seen=Seen.BINDING, target=FLOW, operation="terminate")),
        ),
        invariant="none",
        witnesses=by_lost("Workflow:FLOW terminate happened (seq 12)"),
    ),
    "value of a step": Feature(
        planted=deciding(value="unknown"),
        fixed=deciding(value="paid"),
        scenario=scenario(
            create(),
            invariants=never(steps("pay", where=when(value="unknown"))),
            faults_max=ONLY_LOST,
        ),
        invariant="none",
        witnesses=by_lost(
            "Workflow:FLOW step pay happened (seq 8)", f"{A} effect #2 (Fetch:bank POST)"
        ),
    ),
    "error of a step": Feature(
        planted=deciding(retry=0),
        fixed=deciding(),
        scenario=scenario(
            create(),
            invariants=never(steps("pay", where=when(value=None))),
            faults_max=ONLY_LOST,
        ),
        invariant="none",
        witnesses=by_lost(
            "Workflow:FLOW step pay happened (seq 8)", f"{A} effect #2 (Fetch:bank POST)"
        ),
    ),
    "status of an instance": Feature(
        planted=deciding(retry=0),
        fixed=deciding(),
        scenario=scenario(
            create(),
            invariants=never(Selector(seen=Seen.STATUS, target=FLOW, operation="errored")),
            faults_max=ONLY_LOST,
        ),
        invariant="none",
        witnesses=by_lost(
            "Workflow:FLOW errored happened (seq 10)", f"{A} effect #2 (Fetch:bank POST)"
        ),
    ),
    "status of an answer": Feature(
        planted=answering(500),
        fixed=answering(202),
        scenario=scenario(
            http("req-1", "/orders"), invariants=never(responses(where=when(status=500)))
        ),
        invariant="none",
        witnesses=by_lost("response to req-1 happened (seq 4)"),
    ),
    "path of an answer": Feature(
        planted=answering(200, "unknown"),
        fixed=answering(200, "paid"),
        scenario=scenario(
            http("req-1", "/other"),
            http("req-2", "/orders"),
            invariants=never(responses(path="/orders", where=when(body="unknown"))),
        ),
        invariant="none",
        witnesses=(
            (
                ("answer_lost at req-2 effect #1 (Fetch:bank POST (deduplicated))",),
                "response to req-2 happened (seq 8)",
            ),
            ((f"request_lost at req-2 {AT_BANK}",), "response to req-2 happened (seq 4)"),
        ),
    ),
    "name of a request": Feature(
        planted=answering(200, "unknown"),
        fixed=answering(200, "paid"),
        scenario=scenario(
            http("req-1", "/other"),
            http("req-2", "/other"),
            invariants=never(responses("req-2", where=when(body="unknown"))),
        ),
        invariant="none",
        witnesses=(
            (
                ("answer_lost at req-2 effect #1 (Fetch:bank POST (deduplicated))",),
                "response to req-2 happened (seq 8)",
            ),
            ((f"request_lost at req-2 {AT_BANK}",), "response to req-2 happened (seq 4)"),
        ),
    ),
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=list(FEATURES))
def test_it_tells_them_apart(feature: Feature) -> None:
    assert_told_apart(feature)
