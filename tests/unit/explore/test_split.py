"""Sharing out worlds: equal shares, and neighbours with one owner."""

from __future__ import annotations

from eutaxy._base.fault import Fault
from eutaxy._explore.partition import Split
from eutaxy._explore.search import Limits, Search
from eutaxy._explore.split import choose_split
from eutaxy.testing import Counters, Toy


def shared(toy: Toy, split: Split, limits: Limits) -> tuple[list[int], int, int]:
    """Worlds of two partitions, edges, and how many of these lead from one to the other."""
    graph = Search(toy, limits).run().graph
    slots = [toy.slot(address) for address in split.key]
    owners = dict(split.owners)

    def owner(world: int) -> int:
        total = sum(toy.digest(graph.worlds[world][slot]) for slot in slots)
        return owners.get(total, total % 2)

    loads = [0, 0]
    crossing = 0
    for world in range(len(graph.worlds)):
        loads[owner(world)] += 1
        crossing += sum(
            owner(graph.edge_target[each]) != owner(world) for each in graph.edges(world)
        )
    return loads, len(graph.edge_target), crossing


def test_shares_are_equal_and_few_edges_cross() -> None:
    # Two counters of 60 effects are a grid; cut in two halves along one of them, one column of
    # 61 worlds has edges that cross.
    toy = Counters(counters=2, effects=60).toy()
    limits = Limits(0, 0)
    split = choose_split(toy, Search(toy, limits).run().graph, 2)
    assert len(split.key) == 1
    loads, edges, crossing = shared(toy, split, limits)
    assert sum(loads) == 61 * 61
    assert max(loads) <= 0.53 * sum(loads)
    by_chance = shared(toy, Split(split.key), limits)[2]
    assert crossing < by_chance / 3
    assert crossing < edges / 15


def test_a_component_with_few_states_is_joined_by_another() -> None:
    toy = Counters(counters=6, effects=1, kinds=(Fault.REQUEST_LOST,)).toy()
    split = choose_split(toy, Search(toy, Limits(0, 0)).run().graph, 4)
    assert len(split.key) == 2


def test_nothing_was_searched_yet() -> None:
    toy = Counters(counters=2, effects=2).toy()
    search = Search(toy, Limits(0, 0), is_out_of_budget=lambda: True)
    assert len(choose_split(toy, search.run().graph, 2).key) == 1
