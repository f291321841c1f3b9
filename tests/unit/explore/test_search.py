"""The search: levels, budgets, and what it says of its own coverage."""

from __future__ import annotations

from eutaxy._base.fault import Fault
from eutaxy._base.verdict import Level
from eutaxy._explore.count import count_complete, count_schedules
from eutaxy._explore.search import EXTRA_WORK_MIN, Found, Limits, Search
from eutaxy._world.component import Gate
from eutaxy.testing import Counters, Machine, Move, Toy
from eutaxy.testing.toys import At

LOST = Fault.REQUEST_LOST


def chain(length: int) -> Toy:
    """One machine that goes straight on, each step with a fault that changes nothing."""
    moves = {at: (Move(at + 1), Move(at, LOST)) for at in range(length)}
    return Toy({("machine",): Machine(moves)})


def test_all_levels_are_complete_without_a_budget() -> None:
    found = Search(chain(5), Limits(2, 1)).run()
    assert found.complete == Level(faults=2, redeliveries=1)
    assert found.is_whole
    assert found.bad == []
    assert found.bad_level is None


def test_worlds_are_numbered_in_order_of_discovery_from_the_initial_one() -> None:
    toy = chain(3)
    graph = Search(toy, Limits(0, 0)).run().graph
    assert graph.worlds[0] == toy.initial
    assert [toy.states(world) for world in graph.worlds] == [[At(n)] for n in range(4)]
    assert list(graph.fewest) == [0, 0, 0, 0]
    assert list(graph.is_resting) == [0, 0, 0, 1]


def test_edges_lie_in_the_order_of_the_choices() -> None:
    graph = Search(chain(2), Limits(1, 0)).run().graph
    edges = [
        (graph.edge_target[e], graph.edge_choice[e], graph.edge_faults[e]) for e in graph.edges(0)
    ]
    assert edges == [(1, 0, 0), (0, 1, 1)]


def test_a_limit_of_worlds_ends_the_search_inside_a_level() -> None:
    toy = Counters(counters=2, effects=40).toy()
    found = Search(toy, Limits(3, 0, worlds_max=200)).run()
    assert found.complete is None
    assert not found.is_whole
    assert 200 < len(found.graph.worlds) < 41 * 41


def test_a_budget_that_ends_between_levels_leaves_the_lower_ones_complete() -> None:
    # Remembering counters have new worlds in every level: 25, then more.
    counters = Counters(counters=2, effects=4, is_remembering=True)
    asked: list[bool] = []

    def is_over() -> bool:
        asked.append(True)
        return len(asked) > 1

    found = Search(counters.toy(), Limits(2, 0), is_out_of_budget=is_over).run()
    assert found.complete == Level(faults=0, redeliveries=0)
    assert not found.is_whole
    assert count_complete(found.graph, found.complete, 0) == (counters.schedules(0),)


def _bad_at(place: int) -> Toy:
    moves = {at: (Move(at + 1), Move(100 + at, LOST)) for at in range(6)}
    return Toy(
        {("machine",): Machine(moves)},
        is_bad=lambda states: states[0] == At(place),
    )


def test_the_level_of_the_first_violation_is_finished_and_then_the_search_ends() -> None:
    found = Search(_bad_at(103), Limits(3, 0)).run()
    assert found.bad_level == Level(faults=1, redeliveries=0)
    assert found.complete == found.bad_level
    assert found.is_bad_level_complete
    assert len(found.bad) == 1
    assert not found.is_whole


def _many_bad(width: int) -> Found:
    """Bad states at once, and a wide level to finish behind them."""
    toy = Counters(counters=3, effects=width)
    bad = Toy(
        {("a",): Machine({0: (Move(1), Move(2))}), **_counter_parts(toy)},
        is_bad=lambda states: states[0] == At(1),
    )
    return Search(bad, Limits(0, 0)).run()


def _counter_parts(counters: Counters) -> dict[tuple[str, ...], Machine]:
    return {
        ("counter", str(number)): Machine({at: (Move(at + 1),) for at in range(counters.effects)})
        for number in range(counters.counters)
    }


def test_finishing_a_level_is_bounded_by_work_not_by_time() -> None:
    small, large = _many_bad(3), _many_bad(40)
    assert small.is_bad_level_complete
    assert not large.is_bad_level_complete
    assert large.complete is None
    assert large.bad_level == Level(faults=0, redeliveries=0)
    assert EXTRA_WORK_MIN < large.transitions < 10 * EXTRA_WORK_MIN


def test_redeliveries_are_levels_inside_a_number_of_faults() -> None:
    moves = {0: (Move(1), Move(0, LOST)), 1: (Move(2, gate=Gate.AGAIN),), 2: (Move(3),)}
    toy = Toy({("m",): Machine(moves)}, is_bad=lambda states: states[0] == At(3))
    found = Search(toy, Limits(2, 1)).run()
    assert found.bad_level == Level(faults=0, redeliveries=1)
    assert count_complete(found.graph, Level(faults=0, redeliveries=1), 1) == (2,)


def test_counts_of_a_level_that_is_complete_only_below_its_redeliveries() -> None:
    """With the level (1, 0) complete: all schedules without fault, and those with one fault and
    no redelivery."""
    moves = {
        0: (Move(1), Move(0, LOST)),
        1: (Move(2, gate=Gate.AGAIN),),
        2: (Move(3), Move(2, LOST)),
    }
    found = Search(Toy({("m",): Machine(moves)}), Limits(1, 1)).run()
    # Without fault: a | a b; with one: xa | xa b, a xb.
    assert count_schedules(found.graph, 1, 1) == (2, 3)
    assert count_complete(found.graph, Level(faults=1, redeliveries=1), 1) == (2, 3)
    assert count_complete(found.graph, Level(faults=1, redeliveries=0), 1) == (2, 1)
    assert count_complete(found.graph, Level(faults=0, redeliveries=0), 1) == (1,)


def test_the_same_search_twice_gives_the_same_graph() -> None:
    def explore() -> tuple[object, ...]:
        graph = Search(Counters(counters=3, effects=3).toy(), Limits(2, 0)).run().graph
        return tuple(graph.worlds), graph.edge_target, graph.edge_choice, graph.fewest

    assert explore() == explore()
