"""The example of the README: its trace, its two seeds, its token, its verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from eutaxy._base.record import RecordKind
from eutaxy._base.scenario import HttpRequest
from eutaxy._base.value import Value
from eutaxy._base.verdict import Level, VerdictKind, Violation
from eutaxy.errors import ReplayError
from tests.planted.checking import check, replay
from tests.planted.expenses import programs, scenario

PLANTED, FIXED = programs(is_fixed=False), programs(is_fixed=True)


def _the_violation(seed: str | None = None) -> Violation:
    (violation,) = check(PLANTED, scenario(), seed=seed).violations
    return violation


def _lines(violation: Violation) -> list[str]:
    return [
        f"{each.seq} {each.kind.value} {each.activation} {each.effect_number or '-'} {each.text}"
        for each in violation.trace
    ]


def test_the_trace_of_the_default_seed_is_numbered_by_general_rules() -> None:
    assert _lines(_the_violation()) == snapshot(
        [
            "1 start req-1 - POST https://worker.example/expenses",
            "2 effect req-1 1 Workflow:APPROVALS create",
            "3 end req-1 - answered",
            "4 start workflow:APPROVALS:exp-1#0 - ",
            "5 note workflow:APPROVALS:exp-1#0 - waitForEvent manager decision",
            "6 suspended workflow:APPROVALS:exp-1#0 - suspended",
            "7 clock  - 1000",
            "8 start req-2 - POST https://worker.example/expenses/exp-1/decision",
            "9 effect req-2 1 Workflow:APPROVALS get",
            "10 effect req-2 2 Workflow:APPROVALS sendEvent",
            "11 end req-2 - answered",
            "12 start workflow:APPROVALS:exp-1#1 - ",
            "13 note workflow:APPROVALS:exp-1#1 - event manager decision received",
            "14 effect workflow:APPROVALS:exp-1#1 1 Workflow:APPROVALS step_start",
            "15 effect workflow:APPROVALS:exp-1#1 2 Fetch:payouts POST",
            "16 effect workflow:APPROVALS:exp-1#1 3 Workflow:APPROVALS step_result",
            "17 fault workflow:APPROVALS:exp-1#1 3 crash_after",
            "18 clock  - 1000",
            "19 start workflow:APPROVALS:exp-1#2 - ",
            "20 note workflow:APPROVALS:exp-1#2 - event manager decision replayed",
            "21 effect workflow:APPROVALS:exp-1#2 1 Workflow:APPROVALS step_start",
            "22 effect workflow:APPROVALS:exp-1#2 2 Fetch:payouts POST",
        ]
    )


def test_the_default_seed_finds_the_crash_before_the_result_was_stored() -> None:
    violation = _the_violation()
    assert violation.invariant == "paid-once"
    assert violation.claim == ('Fetch:payouts POST happened twice for key "exp-1" (seq 15 and 22)')
    assert [mark.text for mark in violation.faults] == [
        "crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)"
    ]
    assert violation.kept == ("req-1", "req-2")
    assert violation.redelivered == ()
    assert violation.certificate == "no schedule with fewer faults fails"


def test_the_seed_example_finds_the_lost_answer() -> None:
    violation = _the_violation("example")
    assert [mark.text for mark in violation.faults] == [
        "answer_lost at workflow:APPROVALS:exp-1#1 effect #2 (Fetch:payouts POST)"
    ]
    assert violation.claim.startswith('Fetch:payouts POST happened twice for key "exp-1"')


def test_the_seed_is_by_default_the_name_of_the_scenario() -> None:
    assert _the_violation() == _the_violation("expenses")
    assert check(PLANTED, scenario()).seed == "expenses"


def test_all_minimal_violations_are_listed() -> None:
    verdict = check(PLANTED, scenario(), is_all=True)
    assert sorted(each.faults[0].text for each in verdict.violations) == snapshot(
        [
            "answer_late at workflow:APPROVALS:exp-1#1 effect #2 (Fetch:payouts POST)",
            "answer_lost at workflow:APPROVALS:exp-1#1 effect #2 (Fetch:payouts POST)",
            "crash_after at workflow:APPROVALS:exp-1#1 effect #2 (Fetch:payouts POST)",
            "crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)",
            "crash_in_flight at workflow:APPROVALS:exp-1#1 effect #2 (Fetch:payouts POST)",
            "store_failed at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)",
        ]
    )
    assert {each.others for each in verdict.violations} == {len(verdict.violations) - 1}


def test_the_seqs_of_the_claim_are_those_of_the_payments_in_the_trace() -> None:
    violation = _the_violation()
    paid = [
        each.seq
        for each in violation.trace
        if each.kind is RecordKind.EFFECT and each.text == "Fetch:payouts POST"
    ]
    assert paid == [15, 22]
    assert [each.seq for each in violation.trace] == list(range(1, len(violation.trace) + 1))


@pytest.mark.parametrize(
    ("faults", "redeliveries", "concurrent"), [(0, 0, 1), (1, 2, 1), (2, 2, 1), (1, 2, 2)]
)
def test_the_fixed_one_is_bounded(faults: int, redeliveries: int, concurrent: int) -> None:
    bounds = scenario(faults=faults, redeliveries=redeliveries, concurrent=concurrent)
    verdict = check(FIXED, bounds)
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.coverage.complete == Level(faults=faults, redeliveries=redeliveries)
    assert verdict.coverage.is_whole
    assert verdict.vacuous == ()
    assert len(verdict.coverage.schedules) == faults + 1


def test_more_concurrency_and_more_faults_do_not_change_what_is_smallest() -> None:
    (violation,) = check(PLANTED, scenario(faults=2, concurrent=2)).violations
    assert len(violation.faults) == 1


# -- tokens -----------------------------------------------------------------------------------


def test_a_token_replays_to_the_same_trace() -> None:
    for seed in (None, "example"):
        violation = _the_violation(seed)
        again = replay(PLANTED, scenario(), violation.token)
        assert tuple(again.trace.records) == violation.trace
        assert again.claims == (violation.claim,)


def test_a_token_does_not_depend_on_the_bounds_of_faults() -> None:
    again = replay(PLANTED, scenario(faults=0), _the_violation().token)
    assert again.claims == (_the_violation().claim,)


def test_a_token_of_code_that_has_changed_is_refused_where_it_stops_fitting() -> None:
    with pytest.raises(ReplayError) as refused:
        replay(FIXED, scenario(), _the_violation().token)
    assert refused.value.doing == "replaying the token after seq 14"
    assert "Fetch:payouts POST" in refused.value.found


def test_a_token_of_a_scenario_that_has_changed_is_refused_where_it_stops_fitting() -> None:
    whole = scenario()
    first = whole.drive[0]
    assert isinstance(first, HttpRequest)
    dearer = replace(first, body=Value(first.body.replace("4200", "9900")))
    with pytest.raises(ReplayError) as refused:
        replay(PLANTED, replace(whole, drive=(dearer, whole.drive[1])), _the_violation().token)
    assert refused.value.doing == "replaying the token after seq 1"
    assert "Workflow:APPROVALS create" in refused.value.found


def test_a_token_under_another_downtime_is_refused_at_the_crash() -> None:
    with pytest.raises(ReplayError) as refused:
        replay(PLANTED, replace(scenario(), downtime_ms=2_000), _the_violation().token)
    assert refused.value.doing == "replaying the token after seq 17"
