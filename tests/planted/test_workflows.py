"""Workers that read as safe and are not: what exactly breaks them, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from eutaxy._base.scenario import CannedResponse, Scenario
from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy.errors import ScenarioError
from eutaxy.testing import Failed, call, fetch, race, sleep, step, together, wait
from tests.planted.checking import Programs, check, replay, with_faults
from tests.unit.platform.lab import (
    FLOW,
    TARGET,
    client,
    create,
    event,
    fails,
    request,
    retries,
    scenario_of,
    write,
)


def faults_of(verdict: Verdict) -> list[list[str]]:
    """The faults of all reported schedules."""
    return sorted([mark.text for mark in each.faults] for each in verdict.violations)


# -- check, then charge -----------------------------------------------------------------------

CHARGED = (
    CannedResponse(
        method="GET", path="/charge", status=200, headers=(), body="", once="POST /write"
    ),
    CannedResponse(method="GET", path="/charge", status=404, headers=(), body=""),
)


def check_then_charge(*, once: bool) -> Programs:
    """A step that asks whether the charge was made, and makes it if not."""

    def charge(_: Any) -> Any:
        found = yield fetch("GET", "https://log.example/charge")
        if found["status"] == 404:
            yield write("charge", once=once)
        return "charged"

    def flow(_: Any) -> Any:
        return (yield step("charge", charge))

    return {"fetch": client, FLOW: flow}


def _charging(faults: int) -> Scenario:
    return scenario_of(request(create()), faults=faults, responses=CHARGED)


def test_check_then_charge_is_violated_by_what_overtakes_the_check() -> None:
    verdict = check(check_then_charge(once=False), _charging(1), is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    assert faults_of(verdict) == [
        ["answer_late at workflow:FLOW:a#0 effect #2 (Fetch:log GET)"],
        ["crash_in_flight at workflow:FLOW:a#0 effect #3 (Fetch:log POST)"],
    ]
    for violation in verdict.violations:
        again = replay(check_then_charge(once=False), _charging(1), violation.token)
        assert again.claims == (violation.claim,)


def test_check_then_charge_with_an_idempotency_key_is_bounded_at_two_faults() -> None:
    verdict = check(check_then_charge(once=True), _charging(2))
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.coverage.is_whole


def checking_beside(*, once: bool) -> Programs:
    """A request and the Workflow that it creates both look, and write if they find nothing."""

    def handle(_: Any) -> Any:
        yield call(TARGET, "create", options={"id": "a"})
        yield from look("by request")
        return {"status": 200, "headers": {}, "body": ""}

    def look(key: str) -> Any:
        found = yield fetch("GET", "https://log.example/charge")
        if found["status"] == 404:
            yield write("charge", key="both" if once else key)

    def flow(_: Any) -> Any:
        yield step("look", lambda _: look("by workflow"))

    return {"fetch": handle, FLOW: flow}


def test_a_late_answer_arrives_at_last_though_no_timer_is_left() -> None:
    """While the request waits for its check, the Workflow runs to its end."""
    scenario = scenario_of(request(), faults=1, responses=CHARGED)
    verdict = check(checking_beside(once=False), scenario, is_all=True)
    assert faults_of(verdict) == [
        ["answer_late at req-1 effect #2 (Fetch:log GET)"],
        ["crash_in_flight at req-1 effect #3 (Fetch:log POST)"],
    ]
    assert check(checking_beside(once=True), scenario).kind is VerdictKind.BOUNDED


# -- a race that is decided again -------------------------------------------------------------


def racing(*, is_fixed: bool) -> Programs:
    """Pays when the approval wins, tells the employee when the deadline wins; never both."""

    def decide() -> Any:
        return race(wait("approval", type="t", timeout="7 days"), sleep("deadline", "10 minutes"))

    def flow(_: Any) -> Any:
        if is_fixed:
            try:
                won = yield wait("approval", type="t", timeout="10 minutes")
            except Failed:
                won = {"$": "undefined"}
        else:
            won = yield decide()
        word = "rejected" if won == {"$": "undefined"} else "paid"
        yield step(word, lambda _: _once(word))
        yield sleep("a while", "1 hour")
        return word

    def _once(word: str) -> Any:
        yield write("decided", key=word)

    return {"fetch": client, FLOW: flow}


def _approval(at: int, faults: int) -> Scenario:
    return scenario_of(request(create()), request(event("yes"), at=at), faults=faults)


def test_a_race_of_wait_and_sleep_is_decided_again_by_a_replay() -> None:
    """R-PAR-2, F-RUN-3: the deadline won; the event came later and wins the replay."""
    verdict = check(racing(is_fixed=False), _approval(700_000, 0), is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    assert faults_of(verdict) == [[]]
    assert verdict.violations[0].certificate == "it fails without any fault or redelivery"


def test_a_wait_with_a_timeout_is_decided_once() -> None:
    for at in (500_000, 600_000, 700_000):
        verdict = check(racing(is_fixed=True), _approval(at, 1))
        assert verdict.kind is VerdictKind.BOUNDED


# -- compensation -----------------------------------------------------------------------------


def compensating(*, is_fixed: bool) -> Programs:
    """Reserves and pays; releases the reservation when paying failed. Never pays and releases."""

    def flow(_: Any) -> Any:
        try:
            yield step("pay", lambda _: _write("pay"), retries(0, 0))
        except Failed:
            if is_fixed:
                yield step("cancel", lambda _: _write("pay"), retries(3, 0))
                return "unknown"
            yield step("release", lambda _: _write("release"), retries(3, 0))
            return "released"
        return "paid"

    def _write(key: str) -> Any:
        yield write("settled", key=key)

    return {"fetch": client, FLOW: flow}


def test_a_compensation_after_a_lost_answer_settles_twice() -> None:
    scenario = scenario_of(request(create()), faults=1)
    verdict = check(compensating(is_fixed=False), scenario, is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    assert faults_of(verdict) == [
        ["answer_late at workflow:FLOW:a#0 effect #2 (Fetch:log POST)"],
        ["answer_lost at workflow:FLOW:a#0 effect #2 (Fetch:log POST)"],
        ["store_failed at workflow:FLOW:a#0 effect #3 (Workflow:FLOW step_result)"],
    ]


def test_settling_under_one_key_is_bounded_at_two_faults() -> None:
    scenario = scenario_of(request(create()), faults=2)
    assert check(compensating(is_fixed=True), scenario).kind is VerdictKind.BOUNDED


# -- two faults -------------------------------------------------------------------------------


def falling_back(_: Any) -> Any:
    """Falls back to a second service, and asks that one twice if it must."""
    try:
        yield write("pay", once=True)
    except Failed:
        try:
            yield write("fallback")
        except Failed:
            yield write("fallback")
    return {"status": 200, "headers": {}, "body": ""}


def test_a_violation_of_two_faults_is_found_after_all_of_one() -> None:
    scenario, programs = scenario_of(request(), faults=2), {"fetch": falling_back}
    assert check(programs, with_faults(scenario, 1)).kind is VerdictKind.BOUNDED
    verdict = check(programs, scenario, is_all=True)
    second = "answer_lost at req-1 effect #2 (Fetch:log POST)"
    assert faults_of(verdict) == [
        ["answer_lost at req-1 effect #1 (Fetch:log POST)", second],
        ["request_lost at req-1 effect #1 (Fetch:log POST)", second],
    ]
    for violation in verdict.violations:
        assert violation.certificate == "no schedule with fewer faults fails"
        assert replay(programs, scenario, violation.token).claims == (violation.claim,)


# -- requests ---------------------------------------------------------------------------------


def notifying(*, once: bool) -> Programs:
    def handle(_: Any) -> Any:
        yield write("notify", once=once)
        return {"status": 200, "headers": {}, "body": ""}

    return {"fetch": handle}


def test_a_redelivered_request_repeats_what_it_does() -> None:
    scenario = scenario_of(request(), redeliveries=1)
    verdict = check(notifying(once=False), scenario, is_all=True)
    (violation,) = verdict.violations
    assert (violation.faults, violation.redelivered) == ((), ("req-1",))
    assert (
        violation.certificate
        == "it fails without any fault; no schedule with fewer redeliveries does"
    )
    assert replay(notifying(once=False), scenario, violation.token).claims == (violation.claim,)
    assert check(notifying(once=True), scenario).kind is VerdictKind.BOUNDED


def reading_then_writing(*, once: bool) -> Programs:
    def handle(_: Any) -> Any:
        found = yield fetch("GET", "https://log.example/charge")
        if found["status"] == 404:
            yield write("charge", once=once)
        return {"status": 200, "headers": {}, "body": ""}

    return {"fetch": handle}


def test_two_requests_at_once_both_find_nothing_and_write() -> None:
    def scenario(concurrent: int) -> Scenario:
        return scenario_of(request(), request(), faults=0, concurrent=concurrent, responses=CHARGED)

    assert check(reading_then_writing(once=False), scenario(1)).kind is VerdictKind.BOUNDED
    verdict = check(reading_then_writing(once=False), scenario(2))
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.violations[0].faults == ()
    assert check(reading_then_writing(once=True), scenario(2)).kind is VerdictKind.BOUNDED


def test_events_that_do_not_matter_are_left_out_of_the_witness() -> None:
    scenario = scenario_of(
        request(create("other")), request(create()), request(create("third")), faults=1
    )
    programs = {"fetch": client, FLOW: _paying_for_a}
    (violation,) = check(programs, scenario).violations
    assert violation.kept == ("req-2",)
    assert replay(programs, scenario, violation.token).claims == (violation.claim,)


def _paying_for_a(given: Any) -> Any:
    if given["instanceId"] == "a":
        yield step("pay", writing("a"))


def writing(mark: str) -> Any:
    """A callback that leaves a mark."""

    def callback(_: Any) -> Any:
        yield write(mark)

    return callback


# -- a run that is broken from the start ------------------------------------------------------


def test_a_worker_that_fails_without_faults_is_the_user_s_error() -> None:
    def flow(_: Any) -> Any:
        yield step("bad", fails("broken"), retries(0, 0))

    with pytest.raises(ScenarioError, match="broken"):
        check({"fetch": client, FLOW: flow}, scenario_of(request(create())))


def parallel(names: Sequence[str]) -> Programs:
    def flow(_: Any) -> Any:
        yield together(*(step(name, writing(name)) for name in names))

    return {"fetch": client, FLOW: flow}


def test_parallel_steps_are_each_repeated_on_their_own() -> None:
    verdict = check(parallel("xy"), scenario_of(request(create()), faults=1), is_all=True)
    assert {text.split(" at ")[0] for (text,) in faults_of(verdict)} == {
        "answer_late",
        "answer_lost",
        "crash_after",
        "crash_in_flight",
        "store_failed",
    }
