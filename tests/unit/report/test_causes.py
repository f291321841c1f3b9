"""Violations are put together by cause, and nothing is counted that is not known."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._report.causes import by_cause
from tests.unit.report.test_text import PAID_TWICE, VIOLATED, report

ONE = replace(PAID_TWICE, token="e1-one", cause=("crash_after at A in step a",), others=2)
OTHER = replace(PAID_TWICE, token="e1-other", cause=("answer_lost at B", "redelivery"), others=2)
LAST = replace(ONE, token="e1-last")


def headings(*violations: object) -> list[tuple[str, list[str]]]:
    return [(each.token, lines) for each, lines in by_cause(violations)]  # type: ignore[arg-type]


def test_those_of_one_cause_stand_together_in_the_order_in_which_causes_were_met() -> None:
    assert headings(ONE, OTHER, LAST) == [
        ("e1-one", ["Cause 1 of 2 (2 minimal violations): crash_after at A in step a"]),
        ("e1-last", []),
        ("e1-other", ["Cause 2 of 2 (1 minimal violation): answer_lost at B + redelivery"]),
    ]


def test_invariants_are_counted_apart() -> None:
    elsewhere = replace(ONE, invariant="other", token="e1-else")
    assert headings(elsewhere, ONE, LAST) == [
        ("e1-else", []),
        ("e1-one", ["Cause 1 of 1 (2 minimal violations): crash_after at A in step a"]),
        ("e1-last", []),
    ]


def test_what_was_not_counted_is_not_denied() -> None:
    pair = [replace(each, others=-1) for each in (ONE, OTHER)]
    assert headings(*pair)[0][1] == [
        "Cause 1 of at least 2 (at least 1 minimal violation): crash_after at A in step a"
    ]


def test_a_violation_without_faults_has_a_cause_in_words() -> None:
    assert headings(replace(ONE, cause=()), ONE)[0][1] == [
        "Cause 1 of 2 (1 minimal violation): no fault"
    ]


def test_the_report_puts_the_heading_above_the_claim() -> None:
    text = report(replace(VIOLATED, violations=(ONE, OTHER, LAST)))
    order = [line.split()[0] for line in text.splitlines() if line.startswith(("Cause", "Replay"))]
    assert order == ["Cause", "Replay:", "Replay:", "Cause", "Replay:"]
