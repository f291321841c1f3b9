"""Optional faults tell programs apart, and strike nothing where the bounds do not name them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.fault import OPTIONAL, Fault
from eutaxy._base.scenario import DriverEvent, Scenario
from eutaxy._base.verdict import VerdictKind
from eutaxy.testing import Failed, call, sleep, step, wait
from tests.features.feature import (
    ONCE,
    TARGET,
    Feature,
    Programs,
    ask,
    assert_told_apart,
    bank,
    canned,
    check,
    create,
    direct,
    http,
    post,
    scenario,
    timing,
    worker,
)
from tests.unit.platform.lab import retries

MINUTE_MS = 60_000
NOTHING = tuple((each.value, 0) for each in Fault)
BANK = bank(canned("GET", once="POST /pay"), canned("GET", status=404))
TWICE = 'Fetch:bank POST happened twice for key "o-1" (seq {} and {})'


def only(fault: Fault, *drive: DriverEvent) -> Scenario:
    """A scenario in which nothing but that fault strikes, once."""
    limits = tuple((name, int(name == fault.value)) for name, _ in NOTHING)
    return scenario(*drive, invariants=(ONCE,), external=BANK, faults_max=limits)


def pay_in_a_step(key: str) -> Any:
    """A step that pays."""

    def pay(_: Any) -> Any:
        yield post(key=key)

    return step("pay", pay)


def pay_unless_paid(key: str) -> Any:
    """A handler that looks first, and pays if nobody has."""

    def handle(_: Any) -> Any:
        found = yield ask()
        if found["status"] == 404:
            yield post(key=key)

    return handle


# -- attempt_killed: R-LIM-2 -------------------------------------------------------------------


def looking_first(key: str) -> Programs:
    """A step looks whether it is paid, and pays; it is tried again when it fails."""

    def pay(_: Any) -> Any:
        found = yield ask()
        if found["status"] == 404:
            yield post(key=key)

    def flow(_: Any) -> Any:
        yield step("pay", pay, retries(2, 1_000))

    return worker(pay_unless_paid(key), flow=flow)


# -- deployed: F-RUN-5 ------------------------------------------------------------------------


def renaming(key: str) -> Programs:
    """The new version pays in a step of another name, so an instance under way pays again."""

    def pay(_: Any) -> Any:
        yield post(key=key)

    def old(_: Any) -> Any:
        yield step("pay", pay)
        yield sleep("a while", "1 hour")

    def new(_: Any) -> Any:
        yield step("pay the order", pay)
        yield sleep("a while", "1 hour")

    return {**worker(pay_unless_paid(key), flow=old), "NEXT": new}


def with_next(given: Scenario) -> Scenario:
    """The scenario with a new version of the Workflow."""
    return replace(given, setup=tuple(replace(each, next_class="NEXT") for each in given.setup))


# -- queued_long: F-ST-2 ----------------------------------------------------------------------


def paying_at_once(key: str) -> Programs:
    """The Workflow pays when it starts; ten minutes later somebody makes sure."""

    def flow(_: Any) -> Any:
        yield pay_in_a_step(key)

    return worker(pay_unless_paid(key), flow=flow)


# -- retention_over: F-CR-8 -------------------------------------------------------------------


def paying_once(key: str) -> Programs:
    """The Workflow pays; whoever creates it again trusts that its id is taken."""

    def flow(_: Any) -> Any:
        yield pay_in_a_step(key)

    return worker(flow=flow)


# -- event_again: F-EV-6 ----------------------------------------------------------------------


def paying_for_each_event(*, looks: bool) -> Programs:
    """Pays for an event, and for another that comes after a while."""

    def flow(_: Any) -> Any:
        first = yield wait("first", type="t")
        yield pay_in_a_step("first")
        yield sleep("a while", "10 minutes")
        try:
            second = yield wait("second", type="t", timeout="1 minute")
        except Failed:
            return
        if not looks or second["payload"] != first["payload"]:
            yield pay_in_a_step("second")

    return worker(pay_unless_paid("first"), flow=flow)


# -- crash_sleep_noted: F-SL-1 ----------------------------------------------------------------


def paying_after_an_hour(key: str) -> Programs:
    """Half an hour later a request pays; the Workflow pays after an hour unless it is paid."""

    def pay(_: Any) -> Any:
        found = yield ask()
        if found["status"] == 404:
            yield post(key=key)

    def flow(_: Any) -> Any:
        yield sleep("grace", "1 hour")
        yield step("pay", pay)

    def handle(_: Any) -> Any:
        yield post(key=key)

    return worker(handle, flow=flow)


# -- crash_wait_noted: F-EV-13 ----------------------------------------------------------------


def paying_after_a_wait(key: str) -> Programs:
    """Pays when nobody has objected for a minute; half a second later somebody makes sure."""

    def flow(_: Any) -> Any:
        try:
            yield wait("objection", type="t", timeout="1 minute")
        except Failed:
            yield pay_in_a_step(key)

    return worker(pay_unless_paid(key), flow=flow)


# -- crash_run_logged: F-RUN-8 ----------------------------------------------------------------


def paying_outside(key: str) -> Programs:
    """The last thing that `run` does is to pay, outside of steps."""

    def flow(_: Any) -> Any:
        yield post(key=key)

    return worker(pay_unless_paid(key), flow=flow)


# -- restart_half: F-LC-8 ---------------------------------------------------------------------


def restarting(*, insists: bool) -> Programs:
    """A request restarts the instance, and perhaps again when that has failed."""

    def handle(_: Any) -> Any:
        try:
            yield call(TARGET, "restart", id="a")
        except Failed:
            if insists:
                yield call(TARGET, "restart", id="a")

    def flow(_: Any) -> Any:
        yield pay_in_a_step("k")
        yield sleep("a while", "10 minutes")

    return worker(handle, flow=flow)


# -- status_stale: F-LC-11 --------------------------------------------------------------------


def paying_unless_complete(key: str) -> Programs:
    """A request pays by hand when the instance is not complete."""

    def handle(_: Any) -> Any:
        found = yield call(TARGET, "status", id="a")
        if found["status"] != "complete":
            yield post(key=key)

    def flow(_: Any) -> Any:
        yield pay_in_a_step(key)

    return worker(handle, flow=flow)


def _later(ms: int) -> DriverEvent:
    return http("req-1", at=timing(ms))


FEATURES = {
    Fault.ATTEMPT_KILLED: Feature(
        planted=looking_first(""),
        fixed=looking_first("k"),
        scenario=only(Fault.ATTEMPT_KILLED, create(), _later(MINUTE_MS)),
        invariant="once",
        witnesses=(
            (
                ("attempt_killed at workflow:FLOW:a#0 effect #3 (Fetch:bank POST)",),
                TWICE.format(11, 12),
            ),
        ),
    ),
    Fault.DEPLOYED: Feature(
        planted=renaming(""),
        fixed=renaming("k"),
        scenario=with_next(only(Fault.DEPLOYED, create(), _later(MINUTE_MS))),
        invariant="once",
        witnesses=((("deployed at workflow:FLOW:a#0 after effect #3",), TWICE.format(6, 14)),),
    ),
    Fault.QUEUED_LONG: Feature(
        planted=paying_at_once(""),
        fixed=paying_at_once("k"),
        scenario=only(Fault.QUEUED_LONG, create(), _later(10 * MINUTE_MS)),
        invariant="once",
        witnesses=(
            (("queued_long at workflow:FLOW:a before its first effect",), TWICE.format(8, 13)),
        ),
    ),
    Fault.EVENT_AGAIN: Feature(
        planted=paying_for_each_event(looks=False),
        fixed=paying_for_each_event(looks=True),
        scenario=only(
            Fault.EVENT_AGAIN,
            create(),
            direct("call-2", "sendEvent", id="a", options={"type": "t", "payload": 1}),
            _later(30 * MINUTE_MS),
        ),
        invariant="once",
        witnesses=((("event_again at workflow:FLOW:a#1 after effect #3",), TWICE.format(14, 27)),),
    ),
    Fault.CRASH_SLEEP_NOTED: Feature(
        planted=paying_after_an_hour(""),
        fixed=paying_after_an_hour("k"),
        scenario=only(Fault.CRASH_SLEEP_NOTED, create(), _later(30 * MINUTE_MS)),
        invariant="once",
        witnesses=(
            (
                ("crash_sleep_noted at workflow:FLOW:a#0 before its first effect",),
                TWICE.format(13, 19),
            ),
        ),
    ),
    Fault.CRASH_WAIT_NOTED: Feature(
        planted=paying_after_a_wait(""),
        fixed=paying_after_a_wait("k"),
        scenario=only(Fault.CRASH_WAIT_NOTED, create(), _later(MINUTE_MS + 500)),
        invariant="once",
        witnesses=(
            (
                ("crash_wait_noted at workflow:FLOW:a#0 before its first effect",),
                TWICE.format(13, 18),
            ),
        ),
    ),
    Fault.CRASH_RUN_LOGGED: Feature(
        planted=paying_outside(""),
        fixed=paying_outside("k"),
        scenario=only(Fault.CRASH_RUN_LOGGED, create(), _later(MINUTE_MS)),
        invariant="once",
        witnesses=(
            (
                ("crash_run_logged at workflow:FLOW:a#0 effect #2 (Workflow:FLOW run_result)",),
                TWICE.format(5, 10),
            ),
        ),
    ),
    Fault.RESTART_HALF: Feature(
        planted=restarting(insists=False),
        fixed=restarting(insists=True),
        scenario=only(Fault.RESTART_HALF, create(), _later(MINUTE_MS)),
        invariant="stuck",
        witnesses=(
            (
                ("restart_half at req-1 effect #1 (Workflow:FLOW restart)",),
                "workflow:FLOW:a never ends: it waits for an engine that does not start (status waiting)",
            ),
        ),
    ),
    Fault.RETENTION_OVER: Feature(
        planted=paying_once(""),
        fixed=paying_once("k"),
        scenario=only(Fault.RETENTION_OVER, create(), create("call-2")),
        invariant="once",
        witnesses=(
            (("retention_over at workflow:FLOW:a#0 after effect #4",), TWICE.format(6, 17)),
        ),
    ),
    Fault.STATUS_STALE: Feature(
        planted=paying_unless_complete(""),
        fixed=paying_unless_complete("k"),
        scenario=only(Fault.STATUS_STALE, create(), _later(MINUTE_MS)),
        invariant="once",
        witnesses=(
            (("status_stale at req-1 effect #1 (Workflow:FLOW status)",), TWICE.format(6, 14)),
        ),
    ),
}


def test_each_of_them_is_here() -> None:
    assert tuple(FEATURES) == OPTIONAL


@pytest.mark.parametrize("feature", FEATURES.values(), ids=[each.value for each in FEATURES])
def test_it_tells_them_apart(feature: Feature) -> None:
    """F-CR-8, F-ST-2, F-EV-6, F-SL-1, F-EV-13, F-RUN-8, F-LC-8, F-LC-11."""
    assert_told_apart(feature)


@pytest.mark.parametrize("fault", FEATURES, ids=[each.value for each in FEATURES])
def test_it_does_not_strike_unless_it_is_named(fault: Fault) -> None:
    feature = FEATURES[fault]
    others = tuple((name, 0) for name, _ in NOTHING if name != fault.value)
    bounds = replace(feature.scenario.bounds, max_faults=3, faults_max=others)
    verdict = check(feature.planted, replace(feature.scenario, bounds=bounds))
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.coverage.is_whole
