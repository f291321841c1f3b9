"""Tiny buggy Workers, each with a fixed twin, and all single faults that they cannot stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eutaxy._base.scenario import CannedResponse, Scenario
from eutaxy.testing import Failed, call, fetch, race, sleep, step, timer
from tests.unit.platform.lab import (
    FLOW,
    TARGET,
    check,
    gives,
    request,
    retries,
    scenario_of,
    write,
)

Programs = Mapping[str, Callable[[Any], Any]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A planted Worker and its twin.

    Args:
        planted: The buggy Worker.
        fixed: The same without the bug.
        scenario: With at most one fault.
        witnesses: All smallest schedules that break the invariant, by their only fault.
        fixed_faults: As many faults does the twin stand.
    """

    planted: Programs
    fixed: Programs
    scenario: Scenario
    witnesses: tuple[str, ...]
    fixed_faults: int = 2


def _answered(request: Any) -> Any:
    return {"status": 200, "headers": {}, "body": ""}


# -- requests ---------------------------------------------------------------------------------


def _paying_twice_on_failure(*, once: bool) -> Programs:
    """A handler that tries again when the call failed."""

    def handle(request: Any) -> Any:
        try:
            yield write("pay", once=once)
        except Failed:
            yield write("pay", once=once)
        return _answered(request)

    return {"fetch": handle}


ANSWER_LOST = Case(
    planted=_paying_twice_on_failure(once=False),
    fixed=_paying_twice_on_failure(once=True),
    scenario=scenario_of(request(), faults=1),
    witnesses=("answer_lost at req-1 effect #1 (Fetch:log POST)",),
)


def _paying_by_hand(*, is_fixed: bool) -> Programs:
    """A handler that pays by hand when the Workflow is missing, for two reasons at once."""

    def handle(request: Any) -> Any:
        is_failed = False
        try:
            yield call(TARGET, "create", options={"id": "a"})
        except Failed:
            is_failed = True
        try:
            yield call(TARGET, "get", id="a")
        except Failed as failed:
            if failed.message == "instance.not_found":
                yield write("by hand")
                is_failed = is_failed and not is_fixed
        if is_failed:
            yield write("by hand")
        return _answered(request)

    def flow(event: Any) -> Any:
        yield from ()

    return {"fetch": handle, FLOW: flow}


REQUEST_LOST = Case(
    planted=_paying_by_hand(is_fixed=False),
    fixed=_paying_by_hand(is_fixed=True),
    scenario=scenario_of(request(), faults=1),
    witnesses=("request_lost at req-1 effect #1 (Workflow:FLOW create)",),
)


def _paying_after_a_timeout(*, once: bool) -> Programs:
    """A handler that gives a call five seconds, then makes it again."""

    def handle(request: Any) -> Any:
        try:
            first = yield race(write("pay", once=once), timer(5_000))
        except Failed:
            return _answered(request)
        if first == {"$": "undefined"}:
            yield write("pay", once=once)
        return _answered(request)

    return {"fetch": handle}


ANSWER_LATE = Case(
    planted=_paying_after_a_timeout(once=False),
    fixed=_paying_after_a_timeout(once=True),
    scenario=scenario_of(request(), faults=1),
    witnesses=("answer_late at req-1 effect #1 (Fetch:log POST)",),
)


# -- steps ------------------------------------------------------------------------------------


def _create(request: Any) -> Any:
    yield call(TARGET, "create", options={"id": "a"})
    return _answered(request)


def _paying_in_a_step(*, once: bool) -> Programs:
    """A step that never tries again, and so seems to pay at most once."""

    def pay(_: Any) -> Any:
        yield write("pay", once=once)

    def flow(_: Any) -> Any:
        try:
            yield step("pay", pay, retries(0, 0))
        except Failed:
            return "failed"

    return {"fetch": _create, FLOW: flow}


A_STEP_WITHOUT_RETRIES = Case(
    planted=_paying_in_a_step(once=False),
    fixed=_paying_in_a_step(once=True),
    scenario=scenario_of(request(), faults=1),
    witnesses=(
        "crash_after at workflow:FLOW:a#0 effect #2 (Fetch:log POST)",
        "crash_after at workflow:FLOW:a#0 effect #3 (Workflow:FLOW step_result)",
        "crash_in_flight at workflow:FLOW:a#0 effect #2 (Fetch:log POST)",
    ),
)


def _never_failing(*, once: bool) -> Programs:
    """A callback that never throws, so that nothing seems to repeat it."""

    def pay(_: Any) -> Any:
        try:
            yield write("pay", once=once)
        except Failed:
            return "unknown"
        return "paid"

    def flow(_: Any) -> Any:
        return (yield step("pay", pay, {**retries(5, 0), "timeout": "1 day"}))

    return {"fetch": _create, FLOW: flow}


A_STEP_THAT_NEVER_FAILS = Case(
    planted=_never_failing(once=False),
    fixed=_never_failing(once=True),
    scenario=scenario_of(request(), faults=1),
    witnesses=(
        "answer_late at workflow:FLOW:a#0 effect #2 (Fetch:log POST)",
        "crash_after at workflow:FLOW:a#0 effect #2 (Fetch:log POST)",
        "crash_after at workflow:FLOW:a#0 effect #3 (Workflow:FLOW step_result)",
        "crash_in_flight at workflow:FLOW:a#0 effect #2 (Fetch:log POST)",
        "store_failed at workflow:FLOW:a#0 effect #3 (Workflow:FLOW step_result)",
    ),
)


def _outside(*, is_fixed: bool) -> Programs:
    """A call outside of steps: every new lifetime makes it again."""

    def flow(_: Any) -> Any:
        if is_fixed:
            yield step("notify", lambda _: write_once())
        else:
            yield write("notify")
        yield sleep("a while", "1 minute")
        yield step("done", gives(None))

    def write_once() -> Any:
        yield write("notify", once=True)

    return {"fetch": _create, FLOW: flow}


OUTSIDE_OF_STEPS = Case(
    planted=_outside(is_fixed=False),
    fixed=_outside(is_fixed=True),
    scenario=scenario_of(request(), faults=1),
    witnesses=(
        "crash_after at workflow:FLOW:a#0 effect #1 (Fetch:log POST)",
        "crash_after at workflow:FLOW:a#0 effect #2 (Workflow:FLOW step_start)",
        "crash_after at workflow:FLOW:a#0 effect #3 (Workflow:FLOW step_result)",
        "crash_after at workflow:FLOW:a#0 effect #4 (Workflow:FLOW run_result)",
        "crash_before at workflow:FLOW:a#0 effect #2 (Workflow:FLOW step_start)",
        "crash_idle at workflow:FLOW:a#0 after effect #1",
        "crash_in_flight at workflow:FLOW:a#0 effect #1 (Fetch:log POST)",
    ),
)


def _being_first(*, once: bool) -> Programs:
    """A Workflow pays after ten minutes; a request half a minute later pays if it has not."""

    def handle(given: Any) -> Any:
        if "create" in given["body"]:
            return (yield from _create(given))
        paid = yield fetch("GET", "https://log.example/paid")
        if paid["status"] == 404:
            yield write("pay", key="pay" if once else "by hand")
        return _answered(given)

    def pay(_: Any) -> Any:
        yield write("pay", key="pay" if once else "by the workflow")

    def flow(_: Any) -> Any:
        yield sleep("grace", "10 minutes")
        yield step("pay", pay)

    return {"fetch": handle, FLOW: flow}


LATE_FOR_A_TIMER = Case(
    planted=_being_first(once=False),
    fixed=_being_first(once=True),
    scenario=scenario_of(
        request(["create", {}]),
        request(at=630_000),
        faults=1,
        responses=(
            CannedResponse(
                method="GET", path="/paid", status=200, headers=(), body="", once="POST /write"
            ),
            CannedResponse(method="GET", path="/paid", status=404, headers=(), body=""),
        ),
    ),
    witnesses=(
        "crash_in_flight at req-1 effect #1 (Workflow:FLOW create)",
        "timer_late at workflow:FLOW:a#0 before its first effect",
    ),
)


def _paying_on_a_failure_status(*, once: bool) -> Programs:
    """A handler that pays on two other ways when the service answers with a failure."""

    def handle(request: Any) -> Any:
        answer = yield write("pay", once=once)
        if answer["status"] >= 500:
            yield write("pay", once=once)
            yield write("pay", once=once)
        return _answered(request)

    return {"fetch": handle}


FAILED_STATUS = Case(
    planted=_paying_on_a_failure_status(once=False),
    fixed=_paying_on_a_failure_status(once=True),
    scenario=scenario_of(request(), faults=1, failure_statuses=(500,)),
    witnesses=("failed_status at req-1 effect #1 (Fetch:log POST)",),
)


def _paying_in_an_outage(*, once: bool) -> Programs:
    """A handler that takes two failed questions in a row for a reason to pay twice later."""

    def handle(request: Any) -> Any:
        failures = 0
        for _ in range(2):
            try:
                yield check()
            except Failed:
                failures += 1
        yield timer(900_000)
        yield write("pay", once=once)
        if failures == 2:
            yield write("pay", once=once)
        return _answered(request)

    return {"fetch": handle}


OUTAGE = Case(
    planted=_paying_in_an_outage(once=False),
    fixed=_paying_in_an_outage(once=True),
    scenario=scenario_of(request(), faults=1, outage_ms=600_000),
    witnesses=(
        "answers_outage at req-1 effect #1 (Fetch:log GET)",
        "outage at req-1 effect #1 (Fetch:log GET)",
    ),
)

CASES = {
    "paying on a failure status": FAILED_STATUS,
    "paying in an outage": OUTAGE,
    "trying again when a call failed": ANSWER_LOST,
    "two reasons to pay by hand": REQUEST_LOST,
    "trying again after a timeout": ANSWER_LATE,
    "a step without retries": A_STEP_WITHOUT_RETRIES,
    "a step that never fails": A_STEP_THAT_NEVER_FAILS,
    "a call outside of steps": OUTSIDE_OF_STEPS,
    "relying on who is first": LATE_FOR_A_TIMER,
}
