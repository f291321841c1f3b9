"""What is said about planted violations, beyond their schedules."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

from eutaxy._base.fault import Fault
from eutaxy._base.verdict import Passing, Verdict, Violation
from eutaxy._platform.workflows.profile import LOCAL_2026_11
from eutaxy._session.explanation.switches import NAMES, noting
from eutaxy.testing import Failed, step, together
from tests.planted.checking import Programs, check, replay
from tests.unit.platform.lab import (
    FLOW,
    client,
    create,
    request,
    retries,
    scenario_of,
    write,
)
from tests.unit.platform.lab import (
    check as looking,
)


def _paying() -> Programs:
    """A step that pays, so that whatever makes it run again pays twice."""

    def flow(event: Any) -> Any:
        mark = f"pay {event['instanceId']}"
        return (yield step("pay", partial(_writing, mark)))

    return {"fetch": client, FLOW: flow}


def _noting() -> Programs:
    """A handler that notes each request, and so notes it twice when it comes twice."""

    def handle(given: Any) -> Any:
        yield write(given["body"])
        return {"status": 200, "headers": {}, "body": ""}

    return {"fetch": handle}


def _writing(mark: str, _: Any) -> Any:
    """A callback that writes."""
    yield write(mark)


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


# -- the nearest schedule that passes ---------------------------------------------------------


def explained(verdict: Verdict) -> dict[str, Violation]:
    """Violations by the texts of their faults."""
    return {" + ".join(mark.text for mark in each.faults): each for each in verdict.violations}


def passing_of(violation: Violation) -> Passing:
    assert violation.explanation is not None
    assert violation.explanation.passing is not None
    return violation.explanation.passing


RESULT = "crash_after at workflow:FLOW:a#0 effect #3 (Workflow:FLOW step_result)"
CALL = "crash_after at workflow:FLOW:a#0 effect #2 (Fetch:log POST)"


def test_a_crash_passes_where_the_result_was_stored_or_the_call_was_not_made() -> None:
    scenario = scenario_of(request(create()), faults=1)
    verdict = check(_paying(), scenario, is_all=True, is_explaining=True)
    later = passing_of(explained(verdict)[RESULT])
    assert (later.effects, later.now.text, later.was.text) == (
        1,
        "crash_after at workflow:FLOW:a#0 effect #4 (Workflow:FLOW run_result)",
        RESULT,
    )
    earlier = passing_of(explained(verdict)[CALL])
    assert (earlier.effects, earlier.now.text) == (
        -1,
        "crash_after at workflow:FLOW:a#0 effect #1 (Workflow:FLOW step_start)",
    )
    for passing in (later, earlier):
        again = replay(_paying(), scenario, passing.token)
        assert again.claims == ()
        assert tuple(again.trace.faults) == passing.faults == (passing.now,)


def test_nothing_is_said_where_a_fault_has_nowhere_else_to_strike() -> None:
    verdict = check(
        _paying(), scenario_of(request(create()), faults=1), is_all=True, is_explaining=True
    )
    lost = explained(verdict)["answer_lost at workflow:FLOW:a#0 effect #2 (Fetch:log POST)"]
    assert lost.explanation is not None
    assert (lost.explanation.passing, lost.explanation.moved) == (None, 0)


def _look_and_write(mark: str, _: Any) -> Any:
    """A callback that may be refused its look, and not its write."""
    with suppress(Failed):
        yield looking()
    yield write(mark, once=True)


def _failing_twice() -> Programs:
    """Two steps that look and then write, and a third that writes twice when both have failed."""

    def both(_: Any) -> Any:
        yield write("both")
        yield write("both")

    def flow(_: Any) -> Any:
        failures = 0
        for name in ("x", "y"):
            try:
                yield step(name, partial(_look_and_write, name), retries(0, 0))
            except Failed:
                failures += 1
        if failures == 2:
            yield step("both", both)

    return {"fetch": client, FLOW: flow}


def test_one_of_two_faults_is_moved_and_the_other_stays() -> None:
    scenario = scenario_of(request(create()), faults=2)
    verdict = check(_failing_twice(), scenario, is_all=True, is_explaining=True)
    first, second = (
        f"request_lost at workflow:FLOW:a#0 effect #{number} (Fetch:log POST)" for number in (3, 7)
    )
    passing = passing_of(explained(verdict)[f"{first} + {second}"])
    assert (passing.was.text, passing.effects) == (first, -1)
    assert [mark.text for mark in passing.faults] == [
        "request_lost at workflow:FLOW:a#0 effect #2 (Fetch:log GET)",
        second,
    ]
    assert replay(_failing_twice(), scenario, passing.token).claims == ()


def test_what_every_moved_fault_breaks_too_is_counted_and_not_called_passing() -> None:
    """A request that writes twice when anything fails: no effect is safe to lose."""

    def handle(_: Any) -> Any:
        is_failed = False
        for number in range(3):
            try:
                yield write(f"{number}", once=True)
            except Failed:
                is_failed = True
        if is_failed:
            yield write("failed")
            yield write("failed")
        return {"status": 200, "headers": {}, "body": ""}

    verdict = check(
        {"fetch": handle}, scenario_of(request(), faults=1), is_all=True, is_explaining=True
    )
    middle = explained(verdict)["request_lost at req-1 effect #2 (Fetch:log POST)"]
    first = next(each for each in verdict.violations if each.cause == middle.cause)
    assert first.explanation is not None
    assert (first.explanation.passing, first.explanation.moved) == (None, 2)


def test_steps_taken_one_by_one_are_explained_in_the_graph_that_a_replay_walks() -> None:
    def flow(_: Any) -> Any:
        yield together(*(step(name, partial(_writing, name)) for name in "xyz"))

    programs = {"fetch": client, FLOW: flow}
    scenario = scenario_of(request(create()), faults=1)
    options = {"is_all": True, "is_explaining": True, "is_one_by_one": True}
    verdict = check(programs, scenario, **options)
    assert verdict.coverage.orders
    told = [each for each in verdict.violations if each.explanation is not None]
    passing = [passing_of(each) for each in told if each.faults[0].fault is Fault.CRASH_AFTER]
    assert passing
    for each in passing:
        again = replay(programs, scenario, each.token)
        assert again.claims == ()
        assert tuple(again.trace.faults) == each.faults


def test_the_first_of_each_cause_is_explained_when_that_is_asked_for() -> None:
    scenario = scenario_of(request(create("a")), request(create("b")), faults=1)
    plain = check(_paying(), scenario, is_all=True)
    assert {each.explanation for each in plain.violations} == {None}
    verdict = check(_paying(), scenario, is_all=True, is_explaining=True)
    causes = [each.cause for each in verdict.violations if each.explanation is not None]
    assert sorted(causes) == sorted({each.cause for each in verdict.violations})
    assert [each.token for each in verdict.violations] == [each.token for each in plain.violations]


# -- what of the platform a schedule looks at -------------------------------------------------


def _switches(violation: Violation) -> dict[str, tuple[str, bool]]:
    assert violation.explanation is not None
    return {each.name: (each.value, each.is_decisive) for each in violation.explanation.switches}


def test_a_switch_is_decisive_when_its_other_value_changes_the_schedule() -> None:
    """A local engine does not come back by itself after a crash."""
    verdict = check(
        _paying(), scenario_of(request(create()), faults=1), is_all=True, is_explaining=True
    )
    crash = _switches(explained(verdict)[RESULT])
    assert crash["engine_wakes"] == ("true", True)
    # It was looked at when the step began, and no attempt failed so that it would matter.
    assert crash["retry_delay_ms"] == ("10000", False)
    # No event was sent, so nothing asked whether it is refused.
    assert "terminal_send_refused" not in crash
    lost = _switches(
        explained(verdict)["answer_lost at workflow:FLOW:a#0 effect #2 (Fetch:log POST)"]
    )
    assert lost["retry_delay_ms"] == ("10000", True)
    assert lost.get("engine_wakes", ("", False))[1] is False


def test_a_profile_that_notes_what_is_read_says_what_the_other_says() -> None:
    noted = noting(LOCAL_2026_11)
    assert not noted.noted
    assert [getattr(noted, name) for name in NAMES] == [
        getattr(LOCAL_2026_11, name) for name in NAMES
    ]
    assert tuple(noted.noted) == NAMES


def test_a_step_that_runs_again_rests_on_other_rules_after_a_crash_than_after_a_failure() -> None:
    verdict = check(
        _paying(), scenario_of(request(create()), faults=1), is_all=True, is_explaining=True
    )
    rules = {
        mark: violation.explanation.rules
        for mark, violation in explained(verdict).items()
        if violation.explanation is not None
    }
    assert rules[RESULT] == ("R-CR-1", "F-DO-5", "R-HIB-3", "R-HIB-2", "R-RT-5")
    lost = "answer_lost at workflow:FLOW:a#0 effect #2 (Fetch:log POST)"
    assert rules[lost] == ("R-CR-1", "F-DO-14", "R-RT-1")
