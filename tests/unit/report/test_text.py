"""The reports of a check, word for word."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from eutaxy._base.bounds import Bounds
from eutaxy._base.fault import Fault
from eutaxy._base.verdict import (
    Compared,
    Coverage,
    FaultMark,
    Level,
    Sampled,
    Verdict,
    VerdictKind,
    Violation,
)
from eutaxy._report.text import counted, verdict_text

CRASH = FaultMark(
    fault=Fault.CRASH_AFTER,
    activation="workflow:APPROVALS:exp-1#1",
    effect_number=3,
    effect="Workflow:APPROVALS step_result",
    text="crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)",
)
PAID_TWICE = Violation(
    invariant="paid-once",
    claim='Fetch:payouts POST happened twice for key "exp-1" (seq 15 and 22)',
    faults=(CRASH,),
    redelivered=(),
    kept=("req-1", "req-2"),
    token="e1-abc",
    certificate="no schedule with fewer faults fails",
    others=0,
    trace=(),
)
COVERAGE = Coverage(
    complete=Level(faults=1, redeliveries=2),
    schedules=(1, 1_233),
    worlds=56,
    transitions=2_090,
    is_whole=True,
)
VIOLATED = Verdict(
    kind=VerdictKind.VIOLATED,
    scenario="expenses",
    seed="expenses",
    bounds=Bounds(max_redeliveries=2, budget_ms=4_000),
    coverage=COVERAGE,
    violations=(PAID_TWICE,),
)
BOUNDED = replace(VIOLATED, kind=VerdictKind.BOUNDED, violations=())


def report(verdict: Verdict) -> str:
    return verdict_text(verdict, replay_path="./expenses.sim.ts")


def test_violated_has_claim_schedule_certificate_and_the_command_to_repeat_it() -> None:
    assert report(VIOLATED) == snapshot(
        """\
VIOLATED  expenses  (seed expenses)

Invariant paid-once is violated: Fetch:payouts POST happened twice for key "exp-1" (seq 15 and 22)

Schedule (run seed e1-abc), events kept: req-1, req-2
  crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)

Certificate: no schedule with fewer faults fails
Replay: eutaxy replay ./expenses.sim.ts e1-abc
"""
    )


def test_violated_without_any_fault_says_so() -> None:
    violation = replace(PAID_TWICE, faults=())
    assert report(replace(VIOLATED, violations=(violation,))).splitlines()[4:6] == snapshot(
        [
            "Schedule (run seed e1-abc), events kept: req-1, req-2",
            "  no fault: this is what happens when nothing goes wrong",
        ]
    )


def test_redeliveries_belong_to_the_schedule() -> None:
    violation = replace(PAID_TWICE, redelivered=("req-2",))
    assert report(replace(VIOLATED, violations=(violation,))).splitlines()[4:7] == snapshot(
        [
            "Schedule (run seed e1-abc), events kept: req-1, req-2",
            "  crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)",
            "  redelivery of req-2",
        ]
    )


@pytest.mark.parametrize(
    ("others", "line"),
    [
        (1, "Not printed: 1 other minimal violation (--all shows it)"),
        (12, "Not printed: 12 other minimal violations (--all shows them)"),
        (-1_000, "Not printed: at least 1,000 other minimal violations (--all shows them)"),
    ],
)
def test_other_minimal_violations_are_counted(others: int, line: str) -> None:
    violation = replace(PAID_TWICE, others=others)
    assert line in report(replace(VIOLATED, violations=(violation,))).splitlines()


def test_violations_that_are_printed_are_not_called_hidden() -> None:
    other = replace(PAID_TWICE, faults=(), token="e1-def")
    pair = [replace(violation, others=1) for violation in (PAID_TWICE, other)]
    assert "Not printed" not in report(replace(VIOLATED, violations=tuple(pair)))
    pair = [replace(violation, others=2) for violation in (PAID_TWICE, other)]
    text = report(replace(VIOLATED, violations=tuple(pair)))
    assert text.count("Not printed: 1 other minimal violation (--all shows it)") == 2


def test_uncounted_violations_are_never_denied() -> None:
    pair = [replace(PAID_TWICE, others=-1), replace(PAID_TWICE, others=-1, token="e1-def")]
    text = report(replace(VIOLATED, violations=tuple(pair)))
    assert text.count("Not printed: perhaps others (not all were counted)") == 2


def test_a_finding_without_certificate_claims_none() -> None:
    violation = replace(PAID_TWICE, certificate="")
    assert "Certificate" not in report(replace(VIOLATED, violations=(violation,)))


def test_every_violation_is_printed() -> None:
    second = replace(PAID_TWICE, invariant="one-run-per-expense", token="e1-def")
    text = report(replace(VIOLATED, violations=(PAID_TWICE, second)))
    assert text.index("Invariant paid-once") < text.index("Invariant one-run-per-expense")
    assert text.index("e1-abc") < text.index("e1-def")


def test_bounded_says_exactly_what_was_covered() -> None:
    assert report(BOUNDED) == snapshot("""\
BOUNDED  expenses  (seed expenses)

No schedule within the bounds violates an invariant; every one was covered.

Bounds          at most 1 fault, 2 redeliveries, 1 invocation at a time; budget 4,000 ms
Complete level  at most 1 fault, 2 redeliveries (all of the bounds)
Schedules       1,234 (0 faults: 1; 1 fault: 1,233)
Worlds          56 (2,090 transitions)
""")


def test_bounded_with_an_incomplete_level_claims_only_the_complete_one() -> None:
    coverage = replace(
        COVERAGE, complete=Level(faults=0, redeliveries=2), schedules=(3,), is_whole=False
    )
    reason = "the budget ended at 1 fault, 1 redelivery, after 40 of at least 90 worlds"
    assert report(replace(BOUNDED, coverage=coverage, reasons=(reason,))) == snapshot("""\
BOUNDED  expenses  (seed expenses)

No schedule up to the complete level violates an invariant. Beyond it the bounds were not covered.
  the budget ended at 1 fault, 1 redelivery, after 40 of at least 90 worlds

Bounds          at most 1 fault, 2 redeliveries, 1 invocation at a time; budget 4,000 ms
Complete level  at most 0 faults, 2 redeliveries
Schedules       3 (0 faults: 3)
Worlds          56 (2,090 transitions)
""")


def test_counts_are_exact_however_large() -> None:
    schedules = (760_000_000_000_000_000, 1)
    text = report(replace(BOUNDED, coverage=replace(COVERAGE, schedules=schedules)))
    assert "760,000,000,000,000,001 (0 faults: 760,000,000,000,000,000; 1 fault: 1)" in text


def test_unmerged_search_is_named() -> None:
    text = report(replace(BOUNDED, coverage=replace(COVERAGE, is_merging=False)))
    assert "Merging         off" in text


def test_what_was_kept_apart_is_named() -> None:
    coverage = replace(COVERAGE, apart=(("req-1", "req-3"), ("req-2",)))
    text = report(replace(BOUNDED, coverage=coverage))
    assert "Kept apart      req-1, req-3; req-2: they share nothing" in text
    assert "of those that differ only in the order of what shares nothing, one was covered" in text


def test_what_was_drawn_is_named_as_no_coverage() -> None:
    sampled = Sampled(runs=5_000, distinct=4_812, faults=3, redeliveries=1)
    text = report(replace(BOUNDED, coverage=replace(COVERAGE, sampled=sampled)))
    assert (
        "Drawn           5,000 schedules at random with at most 3 faults, 1 redelivery, "
        "4,812 different (this covers nothing)"
    ) in text


def test_steps_that_were_taken_one_by_one_are_named() -> None:
    text = report(replace(BOUNDED, coverage=replace(COVERAGE, orders=14)))
    assert "One by one      steps beside each other share nothing" in text
    assert "run() heard their ends in 14 other orders" in text
    assert "every one was covered" not in text


@pytest.mark.parametrize("is_whole", [True, False])
def test_bounded_claims_less_when_the_comparison_was_cut(*, is_whole: bool) -> None:
    coverage = replace(COVERAGE, is_whole=is_whole, compared=Compared(16, 170))
    text = report(replace(BOUNDED, coverage=coverage))
    assert "if steps share no variables: the budget ended before that was seen" in text
    assert "Compared        16 of 170 runs" in text
    assert "every one was covered" not in text


def test_inconclusive_without_a_complete_level() -> None:
    coverage = Coverage(complete=None, schedules=(), worlds=7, transitions=6, is_whole=False)
    verdict = replace(BOUNDED, kind=VerdictKind.INCONCLUSIVE, coverage=coverage)
    assert report(verdict) == snapshot("""\
INCONCLUSIVE  expenses  (seed expenses)

No violation was found, but no claim can be made:
  not even the schedules without faults were covered

Bounds          at most 1 fault, 2 redeliveries, 1 invocation at a time; budget 4,000 ms
Complete level  none
Schedules       0
Worlds          7 (6 transitions)
""")


def test_inconclusive_because_of_a_vacuous_invariant() -> None:
    verdict = replace(BOUNDED, kind=VerdictKind.INCONCLUSIVE, vacuous=("paid-once",))
    assert report(verdict) == snapshot("""\
INCONCLUSIVE  expenses  (seed expenses)

Invariant paid-once is vacuous: it never matched anything, so it was not tested

Bounds          at most 1 fault, 2 redeliveries, 1 invocation at a time; budget 4,000 ms
Complete level  at most 1 fault, 2 redeliveries (all of the bounds)
Schedules       1,234 (0 faults: 1; 1 fault: 1,233)
Worlds          56 (2,090 transitions)
""")


def test_unfaithful_gives_its_reasons_and_no_coverage() -> None:
    reasons = ("effect #2 of req-1 was Fetch:payouts POST, then Fetch:payouts GET\nseen twice",)
    verdict = replace(BOUNDED, kind=VerdictKind.UNFAITHFUL, reasons=reasons)
    assert report(verdict) == snapshot("""\
UNFAITHFUL  expenses  (seed expenses)

No claim can be made about this code:
  effect #2 of req-1 was Fetch:payouts POST, then Fetch:payouts GET
  seen twice
""")


def test_names_of_users_cannot_fake_a_line() -> None:
    text = report(replace(BOUNDED, scenario="x\nVIOLATED  y\x1b[2J"))
    assert text.splitlines()[0] == r"BOUNDED  x\nVIOLATED  y\x1b[2J  (seed expenses)"


def test_counted() -> None:
    assert counted(1, "fault") == "1 fault"
    assert counted(0, "fault") == "0 faults"
    assert counted(2, "redelivery", "redeliveries") == "2 redeliveries"
