"""Drawing runs: what is drawn follows from the seed, and what needs a certain order is found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from eutaxy._explore.path import walk
from eutaxy._explore.sample import Drawn, Draws, draw_runs
from eutaxy._world.component import Local
from eutaxy._world.world import World
from eutaxy.testing.toys import Counters, Toy


def _never(path: tuple[int, ...], end: World) -> bool:
    return False


def _draw(toy: Toy, runs: int, *, seed: str = "s", faults: int = 2, length: int = 8) -> Drawn:
    draws = Draws(seed=seed, runs=runs, faults=faults, redeliveries=0, length=length)
    return draw_runs(toy, draws, is_bad_run=_never)


def test_every_schedule_of_a_small_graph_is_drawn_in_the_end() -> None:
    toy = Counters(counters=2, effects=2).toy()
    assert _draw(toy, 400, faults=0).distinct == 6


def test_no_more_faults_than_allowed_are_drawn() -> None:
    seen: list[int] = []

    def judge(path: tuple[int, ...], end: World) -> bool:
        seen.append(sum(option.faults for _, option in walk(toy, path)))
        return False

    toy = Counters(counters=2, effects=4).toy()
    draws = Draws(seed="s", runs=200, faults=2, redeliveries=0, length=8)
    draw_runs(toy, draws, is_bad_run=judge)
    assert set(seen) == {0, 1, 2}


def test_the_seed_decides() -> None:
    toy = Counters(counters=3, effects=6).toy()
    first, again, other = (_draw(toy, 50, seed=seed) for seed in ("a", "a", "b"))
    assert first == again
    assert first.runs == other.runs == 50


@pytest.mark.parametrize("length", [8, 60])
def test_a_rare_order_is_found_by_priority(length: int) -> None:
    """One component does all that it has to before another begins."""

    def is_bad(states: Sequence[Local]) -> bool:
        done = [each[0] for each in states if isinstance(each, tuple)]
        return done == [0, length]

    toy = Counters(counters=2, effects=length).toy(is_bad=is_bad)
    drawn = _draw(toy, 40, faults=0, length=2 * length)
    assert drawn.bad is not None
    *_, (world, option) = walk(toy, drawn.bad)
    assert toy.is_bad(toy.step(world, option))


def test_a_run_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eutaxy._explore.sample.STEPS_MAX", 3)
    assert _draw(Counters(counters=2, effects=4).toy(), 5) == Drawn()


def test_time_ends_the_drawing() -> None:
    toy = Counters(counters=2, effects=2).toy()
    draws = Draws(seed="s", runs=100, faults=0, redeliveries=0, length=4)
    drawn = draw_runs(toy, draws, is_bad_run=_never, is_over=lambda: True)
    assert drawn.runs == 0
