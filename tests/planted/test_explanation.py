"""What is said about planted violations, beyond their schedules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from eutaxy.testing import step
from tests.planted.checking import Programs, check
from tests.unit.platform.lab import (
    FLOW,
    client,
    create,
    request,
    scenario_of,
    write,
)


def _paying(*, once: bool = False) -> Programs:
    """A step that pays, so that whatever makes it run again pays twice."""

    def flow(event: Any) -> Any:
        mark = f"pay {event['instanceId']}"
        return (yield step("pay", lambda _: iter_of(write(mark, once=once))))

    return {"fetch": client, FLOW: flow}


def _noting() -> Programs:
    """A handler that notes each request, and so notes it twice when it comes twice."""

    def handle(given: Any) -> Any:
        yield write(given["body"])
        return {"status": 200, "headers": {}, "body": ""}

    return {"fetch": handle}


def iter_of(ask: Any) -> Any:
    """A callback that does one thing."""
    yield ask


# -- causes -----------------------------------------------------------------------------------


def test_violations_of_two_instances_have_the_same_causes() -> None:
    scenario = scenario_of(request(create("a")), request(create("b")), faults=1)
    violations = check(_paying(), scenario, is_all=True).violations
    counted = Counter(each.cause for each in violations)
    assert counted == {
        (f'{fault} at {effect} in step "pay"',): 2
        for fault, effect in (
            ("crash_after", "Fetch:log POST"),
            ("crash_in_flight", "Fetch:log POST"),
            ("answer_late", "Fetch:log POST"),
            ("answer_lost", "Fetch:log POST"),
            ("crash_after", "Workflow:FLOW step_result"),
            ("store_failed", "Workflow:FLOW step_result"),
        )
    }
    assert {each.faults[0].activation for each in violations} == {
        "workflow:FLOW:a#0",
        "workflow:FLOW:b#0",
    }


def test_requests_that_the_same_handler_takes_have_the_same_cause() -> None:
    scenario = scenario_of(request(create("a")), request(create("b")), redeliveries=1)
    violations = check(_noting(), scenario, is_all=True).violations
    assert [each.redelivered for each in violations] == [("req-1",), ("req-2",)]
    assert {each.cause for each in violations} == {("redelivery of fetch of POST",)}
