"""Each built-in invariant tells a planted program from its twin, and can be switched off."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.fault import Fault
from eutaxy._base.scenario import BUILT_IN
from eutaxy._base.verdict import VerdictKind
from eutaxy.testing import Failed, step, together
from tests.features.feature import (
    Feature,
    Programs,
    answer,
    assert_told_apart,
    check,
    create,
    http,
    post,
    scenario,
    worker,
)
from tests.unit.platform.lab import retries


def waiting(*, is_fixed: bool) -> Programs:
    """Waits for what never comes when a call has failed."""

    def flow(_: Any) -> Any:
        try:
            yield step("pay", pay, retries(0, 0))
        except Failed:
            if not is_fixed:
                yield together()

    def pay(_: Any) -> Any:
        yield post(key="k")

    return worker(answer, flow=flow)


def undoing(*, is_fixed: bool) -> Programs:
    """Ships outside of steps: when that fails, payment is undone, or not, after a crash."""

    def undo(_: Any) -> Any:
        yield post("/refund", key="r")

    def pay(_: Any) -> Any:
        yield post(key="k")

    def ship(_: Any) -> Any:
        yield post("/ship", key="s")

    def flow(_: Any) -> Any:
        yield step("pay", pay, rollback=undo)
        yield step("ship", ship) if is_fixed else post("/ship", key="s")

    return worker(answer, flow=flow)


def changing(*, is_fixed: bool) -> Programs:
    """A step that is handed a failure that was not stored, and later has a value."""

    def flow(_: Any) -> Any:
        try:
            yield step("first", deciding)
        except Failed:
            yield step("second", lambda _: None)

    def deciding(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            raise Failed("Error" if is_fixed else "NonRetryableError", "no") from None

    return worker(answer, flow=flow)


def paying(*, key: str) -> Programs:
    """A step that pays, in each attempt."""

    def pay(_: Any) -> Any:
        yield post(key=key)

    def flow(_: Any) -> Any:
        yield step("pay", pay, retries(5, 0))

    return worker(answer, flow=flow)


A = "workflow:FLOW:a#0"
SINCE = "in the eyes of an earlier lifetime and now succeeded"
UNKEYED = "from the same place, without an idempotency key"

FEATURES = {
    "stuck": Feature(
        planted=waiting(is_fixed=False),
        fixed=waiting(is_fixed=True),
        scenario=scenario(create(), faults_max=(("answer_late", 0), ("store_failed", 0))),
        invariant="stuck",
        witnesses=tuple(
            (
                (f"{fault} at {A} effect #2 (Fetch:bank POST)",),
                "workflow:FLOW:a never ends: it waits for a promise in run() that nothing settles",
            )
            for fault in ("answer_lost", "request_lost")
        ),
    ),
    "compensated-then-done": Feature(
        planted=undoing(is_fixed=False),
        fixed=undoing(is_fixed=True),
        scenario=scenario(create(), faults=2, faults_max=(("answer_lost", 0), ("answer_late", 0))),
        invariant="compensated-then-done",
        witnesses=tuple(
            (
                (
                    f"request_lost at {A} effect #4 (Fetch:bank POST)",
                    f"{fault} at {A} effect {effect}",
                ),
                f"run() completed although it had rolled back pay (seq {seq})",
            )
            for fault, effect, seq in (
                ("crash_after", "#6 (Workflow:FLOW rollback_start)", 19),
                ("crash_after", "#7 (Fetch:bank POST)", 20),
                ("crash_after", "#8 (Workflow:FLOW rollback_result)", 21),
                ("crash_in_flight", "#7 (Fetch:bank POST)", 19),
            )
        ),
    ),
    "step-changed-its-mind": Feature(
        planted=changing(is_fixed=False),
        fixed=changing(is_fixed=True),
        scenario=scenario(create(), faults=2),
        invariant="step-changed-its-mind",
        witnesses=tuple(
            (
                (
                    f"{lost} at {A} effect #2 (Fetch:bank POST)",
                    f"{fault} at {A} effect {effect}",
                ),
                f"step first failed {SINCE} (seq {seq})",
            )
            for lost in ("answer_lost", "request_lost")
            for fault, effect, seq in (
                ("crash_after", "#4 (Workflow:FLOW step_start)", 15),
                ("crash_after", "#5 (Workflow:FLOW step_result)", 16),
                ("crash_after", "#6 (Workflow:FLOW run_result)", 17),
            )
        ),
    ),
    "unkeyed-repeat": Feature(
        planted=paying(key=""),
        fixed=paying(key="k"),
        scenario=scenario(create(), faults_max=(("crash", 0),)),
        invariant="unkeyed-repeat",
        witnesses=tuple(
            (
                (f"{fault} at {A} effect {effect}",),
                f"Fetch:bank POST happened twice {UNKEYED} (seq 6 and {seq})",
            )
            for fault, effect, seq in (
                ("answer_late", "#2 (Fetch:bank POST)", 11),
                ("answer_lost", "#2 (Fetch:bank POST)", 10),
                ("store_failed", "#3 (Workflow:FLOW step_result)", 10),
            )
        ),
    ),
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=list(FEATURES))
def test_it_tells_them_apart(feature: Feature) -> None:
    assert_told_apart(feature)


@pytest.mark.parametrize("name", FEATURES)
def test_it_can_be_switched_off(name: str) -> None:
    feature = FEATURES[name]
    for others in (False, True):
        without = tuple(each for each in BUILT_IN if (each != name) is others)
        verdict = check(feature.planted, replace(feature.scenario, without=without))
        assert verdict.kind is (VerdictKind.VIOLATED if others else VerdictKind.BOUNDED)


def test_all_of_them_are_here() -> None:
    assert tuple(FEATURES) == BUILT_IN


def test_a_landed_call_and_its_repetition_are_two_from_one_place() -> None:
    """The call of a lifetime that died lands; the next lifetime makes it again."""
    given = scenario(create(), faults_max=(("crash_after", 0), ("crash_before", 0)))
    limits = (*given.bounds.faults_max, ("answer_lost", 0), ("answer_late", 0), ("store_failed", 0))
    given = replace(given, bounds=replace(given.bounds, faults_max=limits))
    (violation,) = check(paying(key=""), given, is_all=True).violations
    assert [each.text for each in violation.faults] == [
        f"crash_in_flight at {A} effect #2 (Fetch:bank POST)"
    ]


def test_calls_in_flight_from_two_places_are_no_repetition() -> None:
    def handle(_: Any) -> Any:
        yield post()

    limits = tuple((fault.value, 0) for fault in Fault if fault is not Fault.CRASH_IN_FLIGHT)
    given = scenario(http("req-1"), http("req-2"), faults=2, faults_max=limits)
    assert check(worker(handle), given).kind is VerdictKind.BOUNDED


def test_a_run_that_only_fails_has_not_acted_on_the_failure() -> None:
    """Its next lifetime may make the step succeed (R-NR-3); nothing contradicts that."""

    def deciding(_: Any) -> Any:
        try:
            yield post(key="k")
        except Failed:
            raise Failed("NonRetryableError", "no") from None

    def flow(_: Any) -> Any:
        yield step("before", lambda _: None)
        yield step("first", deciding)

    assert (
        check(worker(answer, flow=flow), scenario(create(), faults=2)).kind is VerdictKind.BOUNDED
    )
