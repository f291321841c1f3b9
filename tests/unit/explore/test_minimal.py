"""All ways to what is bad that differ in their faults, each as a shortest path."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import Fault
from eutaxy._explore import minimal
from eutaxy._explore.minimal import Way, WayFinder
from eutaxy._explore.path import walk
from eutaxy._explore.search import Limits, Search
from eutaxy.testing import Machine, Move, Toy
from eutaxy.testing.toys import At

LOST = Fault.REQUEST_LOST
BAD = 9


def ways_of(toy: Toy, faults: int) -> tuple[Toy, list[Way], bool]:
    found = Search(toy, Limits(faults, 0)).run()
    assert found.bad_level is not None
    assert found.bad_level.faults == faults
    ways = WayFinder(found.graph, found.bad, faults).ways()
    return toy, list(ways.ways), ways.is_all


def places(toy: Toy, way: Way) -> list[int]:
    """The states that a way goes through, and where it ends."""
    worlds = [world for world, _ in walk(toy, way.choices)]
    last = toy.step(*list(walk(toy, way.choices))[-1])
    found = []
    for world in (*worlds, last):
        (state,) = toy.states(world)
        assert isinstance(state, At)
        found.append(state.state)
    return found


def toy_of(moves: dict[int, tuple[Move, ...]]) -> Toy:
    return Toy({("m",): Machine(moves)}, is_bad=lambda states: states[0] == At(BAD))


def test_each_faulty_edge_gives_a_way() -> None:
    toy, ways, is_all = ways_of(
        toy_of(
            {
                0: (Move(1), Move(BAD, LOST)),
                1: (Move(2), Move(BAD, LOST)),
                2: (Move(3), Move(4, LOST)),
                4: (Move(5),),
                5: (Move(BAD),),
            }
        ),
        1,
    )
    assert is_all
    assert [places(toy, way) for way in ways] == [[0, 9], [0, 1, 9], [0, 1, 2, 4, 5, 9]]


def test_a_way_takes_the_shortest_path_between_its_faults() -> None:
    toy, ways, _ = ways_of(
        toy_of(
            {
                0: (Move(1), Move(3)),
                1: (Move(2),),
                2: (Move(3),),
                3: (Move(8), Move(4, LOST)),
                4: (Move(5), Move(BAD)),
                5: (Move(BAD),),
            }
        ),
        1,
    )
    assert [places(toy, way) for way in ways] == [[0, 3, 4, 9]]


def test_two_faults_give_a_way_for_each_pair() -> None:
    toy, ways, is_all = ways_of(
        toy_of(
            {
                0: (Move(1), Move(5, LOST)),
                1: (Move(2), Move(5, LOST)),
                5: (Move(6), Move(BAD, LOST)),
                6: (Move(7), Move(BAD, LOST)),
            }
        ),
        2,
    )
    assert is_all
    assert [places(toy, way) for way in ways] == [
        [0, 5, 9],
        [0, 5, 6, 9],
        [0, 1, 5, 9],
        [0, 1, 5, 6, 9],
    ]


def test_without_faults_there_is_a_way_to_each_bad_world() -> None:
    moves = {0: (Move(1), Move(2)), 1: (Move(BAD),), 2: (Move(BAD + 1),)}
    toy = Toy({("m",): Machine(moves)}, is_bad=lambda states: states[0] in (At(9), At(10)))
    toy, ways, _ = ways_of(toy, 0)
    assert [places(toy, way) for way in ways] == [[0, 1, 9], [0, 2, 10]]


def test_dead_ends_are_no_ways() -> None:
    toy, ways, _ = ways_of(
        toy_of({0: (Move(1), Move(7, LOST)), 1: (Move(2), Move(BAD, LOST)), 7: (Move(8),)}), 1
    )
    assert [places(toy, way) for way in ways] == [[0, 1, 9]]


def test_too_many_ways_are_cut_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = {at: (Move(at + 1), Move(100, LOST)) for at in range(8)}
    toy = Toy({("m",): Machine(moves)}, is_bad=lambda states: states[0] == At(100))
    assert ways_of(toy, 1)[2] is True
    monkeypatch.setattr(minimal, "WAYS_MAX", 3)
    _, ways, is_all = ways_of(toy, 1)
    assert len(ways) == 3
    assert not is_all
