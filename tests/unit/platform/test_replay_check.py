"""What is pointed out about replays that would decide otherwise (R-PAR-2, F-RUN-3)."""

from __future__ import annotations

from typing import Any

from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import Checker
from eutaxy._session.options import CheckOptions
from eutaxy.testing import race, scripted, sleep, step, timer, together
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
