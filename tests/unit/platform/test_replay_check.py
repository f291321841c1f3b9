"""What is pointed out about replays that would decide otherwise (R-PAR-2, F-RUN-3, F-RUN-4)."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import Checker
from eutaxy._session.options import CheckOptions
from eutaxy.testing import now, race, scripted, sleep, step, timer, together
from tests.unit.platform.lab import FLOW, client, create, gives, request, scenario_of


def _suspicions(flow: Any) -> list[str]:
    scenario = scenario_of(request(create()), faults=0)
    make = scripted(**{FLOW: flow, "fetch": client})
    verdict = Checker(scenario, make, Engine(), CheckOptions()).verdict()
    return [each.text for each in verdict.suspicions if each.rule == "R-PAR-2"]


def _after(ms: int) -> Any:
    def callback(_: Any) -> Any:
        yield timer(ms)
        return ms

    return callback


def test_a_race_over_steps_that_the_slower_one_would_win_on_replay() -> None:
    def flow(_: Any) -> Any:
        winner = yield race(step("slow", _after(1_000)), step("quick", _after(100)))
        yield step(f"book {winner}", gives(None))
        yield sleep("a while", 5_000)
        yield step("done", gives(None))

    (text,) = _suspicions(flow)
    assert "would not come to 'book 100'" in text
    assert "would come to 'book 1000'" in text


def test_steps_that_are_all_awaited_are_no_race() -> None:
    def flow(_: Any) -> Any:
        yield together(step("slow", _after(1_000)), step("quick", _after(100)))
        yield step("book", gives(None))
        yield sleep("a while", 5_000)

    assert _suspicions(flow) == []


def test_a_race_inside_one_step_is_stable() -> None:
    def choose(_: Any) -> Any:
        winner = yield race(timer(1_000), timer(100))
        return winner

    def flow(_: Any) -> Any:
        yield step("choose", choose)
        yield step("book", gives(None))
        yield sleep("a while", 5_000)

    assert _suspicions(flow) == []


# -- steps that an earlier lifetime reached ---------------------------------------------------


def _side_by_side(_: Any) -> Any:
    """One branch of three is done first; the others begin again after a crash."""
    yield together(step("a", _after(1_000)), step("b", _after(2_000)), step("c", _after(100)))


def _named_by_the_clock(_: Any) -> Any:
    at = yield now()
    yield step(f"at {at}", _after(100))
    yield step("last", _after(100))


@pytest.mark.parametrize(("flow", "is_told"), [(_side_by_side, False), (_named_by_the_clock, True)])
def test_f_run_4_is_told_of_names_that_change_and_not_of_parallel_steps(
    flow: Any, *, is_told: bool
) -> None:
    """F-RUN-4: parallel steps are called one after another, which is no other way through `run`."""
    given = scenario_of(request(create()), faults=1)
    verdict = Checker(
        given, scripted(**{FLOW: flow, "fetch": client}), Engine(), CheckOptions()
    ).verdict()
    assert verdict.coverage.is_whole
    assert ("F-RUN-4" in [each.rule for each in verdict.suspicions]) is is_told
