"""The built-in `unkeyed-repeat`: which repetitions it takes for a mistake."""

from __future__ import annotations

import pytest

from eutaxy._base.observation import Happened
from eutaxy._base.scenario import Seen
from eutaxy._base.value import encode
from eutaxy._check.monitors import ALARM, RepeatMonitor


def applied(
    operation: str = "POST",
    *,
    origin: str = "workflow:W:a/step pay/1",
    body: str = "1",
    is_unkeyed: bool = True,
) -> Happened:
    """A request that a service has applied."""
    return Happened(
        seen=Seen.FETCH,
        target="bank",
        operation=operation,
        path="/charges",
        view=encode({"args": {"path": "/charges", "body": body}, "answer": None}),
        shown=f"Fetch:bank {operation}",
        origin=origin,
        is_unkeyed=is_unkeyed,
    )


def alarms(*happened: Happened) -> int:
    """How often the monitor raises the alarm over these requests."""
    monitor = RepeatMonitor()
    local, count = monitor.initial(), 0
    for each in happened:
        step = monitor.on(local, each)
        local, count = step.local, count + sum(to == ALARM for to, _ in step.out)
    return count


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_the_same_from_the_same_place_is_a_repetition(method: str) -> None:
    assert alarms(applied(method)) == 0
    assert alarms(applied(method), applied(method)) == 1


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
def test_what_may_be_repeated_by_definition_needs_no_key(method: str) -> None:
    assert alarms(applied(method), applied(method)) == 0


@pytest.mark.parametrize(
    "other",
    [
        applied(origin="workflow:W:a/step refund/1"),
        applied(body="2"),
        applied(is_unkeyed=False),
    ],
    ids=["from another place", "another request", "with a key"],
)
def test_what_is_no_repetition(other: Happened) -> None:
    assert alarms(applied(), other) == 0
