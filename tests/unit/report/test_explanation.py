"""What is told of the schedules beside a violation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eutaxy._base.verdict import Explanation, Passing, Switch
from eutaxy._report.explanation import explanation_paragraphs
from tests.unit.report.test_text import CRASH, PAID_TWICE, VIOLATED, report

NOW = replace(CRASH, effect_number=4, text="crash_after at effect #4")
PASSING = Passing(
    faults=(NOW,), redelivered=("req-2",), was=CRASH, now=NOW, effects=1, token="e1-def"
)


@pytest.mark.parametrize(
    ("effects", "told"),
    [
        (1, "with the crash_after 1 effect later"),
        (-1, "with the crash_after 1 effect earlier"),
        (-3, "with the crash_after 3 effects earlier"),
        (0, "with the crash_after on the other side of effect #4"),
    ],
)
def test_it_says_which_fault_was_moved_and_how_far(effects: int, told: str) -> None:
    explanation = Explanation(passing=replace(PASSING, effects=effects), moved=2)
    assert explanation_paragraphs(explanation)[0] == [
        f"It passes {told} (run seed e1-def)",
        "  crash_after at effect #4",
        "  redelivery of req-2",
    ]


@pytest.mark.parametrize(
    ("moved", "told"),
    [
        (0, []),
        (1, ["It fails too with a fault moved to the one other effect that was tried"]),
        (7, ["It fails too in each of 7 schedules with one fault moved"]),
    ],
)
def test_without_a_schedule_that_passes_it_says_what_was_run(moved: int, told: list[str]) -> None:
    assert explanation_paragraphs(Explanation(moved=moved))[0] == told


def test_it_stands_below_the_schedule() -> None:
    violation = replace(PAID_TWICE, explanation=Explanation(passing=PASSING, moved=1))
    lines = report(replace(VIOLATED, violations=(violation,))).splitlines()
    assert lines.index("It passes with the crash_after 1 effect later (run seed e1-def)") == 7
    assert lines[6] == ""


def test_switches_are_named_where_another_value_changes_the_schedule() -> None:
    switches = (
        Switch(name="engine_wakes", value="true", is_decisive=True),
        Switch(name="retry_delay_ms", value="10000", is_decisive=False),
        Switch(name="hibernate_after_ms", value="never", is_decisive=True),
    )
    assert explanation_paragraphs(Explanation(switches=switches))[1] == [
        "With other switches it goes otherwise: engine_wakes = true, hibernate_after_ms = never"
    ]
    assert explanation_paragraphs(Explanation(switches=switches[1:2]))[1] == []
    assert explanation_paragraphs(Explanation(rules=("R-CR-1", "F-DO-5")))[1] == [
        "Rules in play: R-CR-1, F-DO-5"
    ]
