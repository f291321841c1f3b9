"""Walking one path: the first, and a given one."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import Fault
from eutaxy._explore import path
from eutaxy._explore.path import EndlessRun, first_path, walk
from eutaxy._world.component import Gate
from eutaxy.testing import Machine, Move, Toy
from eutaxy.testing.toys import At

LOST = Fault.REQUEST_LOST


def test_the_first_path_takes_what_normally_happens() -> None:
    moves = {0: (Move(5, LOST), Move(1), Move(2)), 1: (Move(3, gate=Gate.AGAIN),)}
    assert first_path(Toy({("m",): Machine(moves)})) == (1,)


def test_the_first_path_stops_where_it_becomes_bad() -> None:
    toy = Toy(
        {("m",): Machine({0: (Move(1),), 1: (Move(2),), 2: (Move(3),)})},
        is_bad=lambda states: states[0] == At(2),
    )
    assert first_path(toy) == (0, 0)


def test_a_run_without_end_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path, "STEPS_MAX", 50)
    with pytest.raises(EndlessRun):
        first_path(Toy({("m",): Machine({0: (Move(1),), 1: (Move(0),)})}))


def test_walking_gives_the_worlds_and_the_choices_taken() -> None:
    toy = Toy({("m",): Machine({0: (Move(1), Move(0, LOST))})})
    steps = list(walk(toy, (1, 0)))
    assert [toy.states(world) for world, _ in steps] == [[At(0)], [At(0)]]
    assert [option.faults for _, option in steps] == [1, 0]


def test_a_choice_that_is_not_there_ends_the_walk() -> None:
    toy = Toy({("m",): Machine({0: (Move(1),)})})
    steps = walk(toy, (0, 0))
    next(steps)
    with pytest.raises(IndexError):
        next(steps)
