"""Each planted Worker is violated by exactly the listed single faults; its twin stands two."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import OPTIONAL, Fault
from eutaxy._base.verdict import VerdictKind
from tests.planted.cases import CASES, Case
from tests.planted.checking import check, replay, with_faults

each_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


@each_case
def test_the_planted_one_is_violated_by_exactly_these_faults(case: Case) -> None:
    verdict = check(case.planted, case.scenario, is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    found = [[mark.text for mark in each.faults] for each in verdict.violations]
    assert sorted(found) == [[text] for text in case.witnesses]
    for violation in verdict.violations:
        assert violation.invariant == "once"
        assert violation.redelivered == ()
        assert violation.others == len(case.witnesses) - 1
        assert violation.certificate == "no schedule with fewer faults fails"


@each_case
def test_without_faults_it_looks_well(case: Case) -> None:
    verdict = check(case.planted, with_faults(case.scenario, 0))
    assert verdict.kind is not VerdictKind.VIOLATED
    assert len(verdict.coverage.schedules) == 1


@each_case
def test_its_twin_is_bounded(case: Case) -> None:
    verdict = check(case.fixed, with_faults(case.scenario, 2))
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.vacuous == ()
    assert verdict.coverage.is_whole
    assert len(verdict.coverage.schedules) == 3


@each_case
def test_every_reported_schedule_replays_to_the_same_violation(case: Case) -> None:
    for violation in check(case.planted, case.scenario, is_all=True).violations:
        again = replay(case.planted, case.scenario, violation.token)
        assert tuple(again.trace.records) == violation.trace
        assert again.claims == (violation.claim,)
        assert tuple(again.trace.faults) == violation.faults


@each_case
def test_the_seed_chooses_among_the_same_witnesses(case: Case) -> None:
    texts = set()
    for seed in ("a", "b", "c", "d", "e", "f"):
        (violation,) = check(case.planted, case.scenario, seed=seed).violations
        texts.add(violation.faults[0].text)
    assert texts <= set(case.witnesses)


def test_every_kind_of_fault_is_what_some_planted_worker_cannot_stand() -> None:
    fatal = {text.split(" at ")[0] for case in CASES.values() for text in case.witnesses}
    assert fatal == {fault.value for fault in Fault if fault not in OPTIONAL}
