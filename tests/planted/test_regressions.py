"""Saved schedules of planted Workers fail again, hold in the twins, and stand edits nearby."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.scenario import CannedResponse, Scenario
from eutaxy._base.verdict import RegressionState, Tried
from eutaxy._explore.token import read_token
from eutaxy._session.regressions.anchored import follow
from eutaxy._session.regressions.file import Regression, read_regression, regression_text
from eutaxy._session.regressions.folder import SavedFile
from eutaxy._session.regressions.keep import anchored
from eutaxy._session.regressions.trial import try_all
from eutaxy.testing import fetch, sleep, step
from tests.planted.cases import CASES, Case
from tests.planted.checking import Programs, checker_of
from tests.unit.platform.lab import FLOW, client, create, gives, request, scenario_of, write


def saved(planted: Programs, whole: Scenario) -> list[tuple[Regression, str]]:
    """All smallest violations as regressions, each with its token."""
    checker = checker_of(planted, whole, is_all=True)
    found = []
    for violation in checker.verdict().violations:
        regression = anchored(checker, whole, violation)
        assert regression is not None
        found.append((regression, violation.token))
    assert found
    return found


def tried(worker: Programs, whole: Scenario, regressions: Iterable[Regression]) -> list[Tried]:
    files = [SavedFile(f"{n}.json", each) for n, each in enumerate(regressions)]
    checker = checker_of(worker, whole)
    return [trial.tried for trial in try_all(checker, whole, "prod", files)]


each_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


@each_case
def test_a_saved_schedule_is_the_very_schedule(case: Case) -> None:
    checker = checker_of(case.planted, case.scenario)
    for regression, token in saved(case.planted, case.scenario):
        schedule = read_token(token)
        bounds = replace(
            case.scenario.bounds,
            max_redeliveries=schedule.redeliveries_max,
            max_concurrent=schedule.concurrent_max,
        )
        drive = tuple(e for e in case.scenario.drive if e.name in regression.events)
        model = checker.model(replace(case.scenario, bounds=bounds, drive=drive))
        followed = follow(model, regression.events, regression.turns)
        assert tuple(followed.path) == schedule.path
        assert followed.placed == len(regression.turns)


@each_case
def test_a_saved_schedule_fails_again_and_is_the_same_after_the_file(case: Case) -> None:
    pairs = saved(case.planted, case.scenario)
    regressions = [read_regression(regression_text(each)) for each, _ in pairs]
    assert regressions == [each for each, _ in pairs]
    outcome = tried(case.planted, case.scenario, regressions)
    assert [each.state for each in outcome] == [RegressionState.FAILS] * len(pairs)
    assert [each.token for each in outcome] == [token for _, token in pairs]
    assert [each.text for each in outcome] == [each.claim for each in regressions]


@each_case
def test_a_saved_schedule_does_not_fail_in_the_twin(case: Case) -> None:
    regressions = [each for each, _ in saved(case.planted, case.scenario)]
    states = {each.state for each in tried(case.fixed, case.scenario, regressions)}
    assert states <= {RegressionState.PASSES, RegressionState.MISFIT}


def test_files_of_different_schedules_have_different_names() -> None:
    for case in CASES.values():
        names = [each.file_name for each, _ in saved(case.planted, case.scenario)]
        assert len(set(names)) == len(names)


# -- redeliveries and interleavings ---------------------------------------------------------------


def handler(script: Callable[[], Any]) -> Programs:
    def handle(_: Any) -> Any:
        yield from script()
        return {"status": 200, "headers": {}, "body": ""}

    return {"fetch": handle}


def notify() -> Any:
    yield write("notify")


def notify_twice() -> Any:
    yield write("notify")
    yield write("notify")


def notify_once() -> Any:
    yield write("notify", once=True)


def look_then_write() -> Any:
    found = yield fetch("GET", "https://log.example/charge")
    if found["status"] == 404:
        yield write("charge")


FREE = CannedResponse(method="GET", path="/charge", status=404, headers=(), body="")


@pytest.mark.parametrize(
    ("script", "whole", "does"),
    [
        (notify_twice, scenario_of(request()), []),
        (notify, scenario_of(request(), redeliveries=1), ["redeliver"]),
        (
            look_then_write,
            scenario_of(request(), request(), concurrent=2, responses=(FREE,)),
            ["go first"],
        ),
    ],
    ids=["nothing goes wrong", "redelivery", "two at once"],
)
def test_what_is_no_fault_is_anchored_too(
    script: Callable[[], Any], whole: Scenario, does: list[str]
) -> None:
    pairs = saved(handler(script), whole)
    regressions = [read_regression(regression_text(each)) for each, _ in pairs]
    assert {turn.does for each in regressions for turn in each.turns} == set(does)
    outcome = tried(handler(script), whole, regressions)
    assert [each.token for each in outcome] == [token for _, token in pairs]


# -- edits ------------------------------------------------------------------------------------

WHOLE = scenario_of(request(create()), faults=1, responses=(FREE,))


def flow(*parts: Any) -> Programs:
    """A Workflow of some steps (by name and callback) and other asks."""

    def run(_: Any) -> Any:
        for part in parts:
            yield step(*part) if isinstance(part, tuple) else part

    return {"fetch": client, FLOW: run}


def pay(_: Any, *, once: bool = False) -> Any:
    yield write("pay", once=once)


def pay_once(_: Any) -> Any:
    yield from pay(None, once=True)


def look_then_pay(_: Any) -> Any:
    yield write("look", once=True)
    yield write("pay")


def pay_then_look(_: Any) -> Any:
    yield write("pay")
    yield write("look", once=True)


def ask_then_pay(_: Any) -> Any:
    yield fetch("GET", "https://log.example/charge")
    yield write("pay")


SAVED = [each for each, _ in saved(flow(("pay", pay)), WHOLE)]


def test_the_saved_schedules_strike_at_the_call_and_at_the_result() -> None:
    assert sorted({(each.turns[0].does, each.turns[0].moment.what) for each in SAVED}) == [
        ("answer_late", "Fetch:log POST"),
        ("answer_lost", "Fetch:log POST"),
        ("crash_after", "Fetch:log POST"),
        ("crash_after", "Workflow:FLOW step_result"),
        ("crash_in_flight", "Fetch:log POST"),
        ("store_failed", "Workflow:FLOW step_result"),
    ]


@pytest.mark.parametrize(
    "edited",
    [
        flow(("look", gives()), ("pay", pay)),
        flow(("look", look_then_pay), ("pay", pay)),
        flow(sleep("a while", "1 minute"), ("pay", pay)),
        flow(("pay", pay), ("look", gives())),
        flow(("pay", look_then_pay)),
        flow(("pay", pay_then_look)),
        flow(("pay", ask_then_pay)),
    ],
    ids=[
        "a step before",
        "a step before that calls the same service",
        "a sleep before",
        "a step after",
        "a call before, of the same kind",
        "a call after, of the same kind",
        "a call before, of another kind",
    ],
)
def test_saved_schedules_stand_edits_nearby(edited: Programs) -> None:
    states = [each.state for each in tried(edited, WHOLE, SAVED)]
    assert states == [RegressionState.FAILS] * len(SAVED)


def test_a_corrected_worker_passes() -> None:
    for told in tried(flow(("pay", pay_once)), WHOLE, SAVED):
        assert told.state is RegressionState.PASSES
        assert told.text == "keep it as a test, or delete it"


@pytest.mark.parametrize(
    ("edited", "reason"),
    [
        (
            flow(("settle", pay_once)),
            (
                'the step "pay" is gone from workflow:FLOW:a, or not reached any more '
                '(steps there: "settle")'
            ),
        ),
        (
            flow(sleep("a while", "1 minute")),
            (
                'the step "pay" is gone from workflow:FLOW:a, or not reached any more '
                '(steps there: "a while")'
            ),
        ),
        (handler(notify_once), "workflow:FLOW:a is gone, or not reached any more"),
    ],
    ids=["renamed", "removed", "no workflow"],
)
def test_what_is_gone_is_named_with_what_to_do(edited: Programs, reason: str) -> None:
    for told in tried(edited, WHOLE, SAVED):
        assert told.state is RegressionState.MISFIT
        assert (
            told.text == f"{reason}; if it was renamed, rename it in the file, else delete the file"
        )


def test_a_call_that_is_gone_from_its_step_is_named() -> None:
    (at_call,) = [each for each in SAVED if each.turns[0].does == "answer_lost"]
    (told,) = tried(flow(("pay", gives())), WHOLE, [at_call])
    assert told.state is RegressionState.MISFIT
    assert told.text.startswith(
        'Fetch:log POST is gone from the step "pay" of workflow:FLOW:a '
        "(there: Workflow:FLOW step_result, Workflow:FLOW step_start)"
    )


def test_an_event_that_is_gone_is_named() -> None:
    (told,) = tried(flow(("pay", pay)), WHOLE, [replace(SAVED[0], events=("req-9",))])
    assert told.state is RegressionState.MISFIT
    assert told.text.startswith('the event "req-9" is gone from the scenario')


def test_a_schedule_of_another_profile_is_not_tried() -> None:
    (told,) = tried(flow(("pay", pay)), WHOLE, [replace(SAVED[0], profile="local-2026-11")])
    assert told.state is RegressionState.NOT_TRIED
    assert "--profile local-2026-11" in told.text
