"""The exact number of schedules that a searched graph stands for.

A schedule is a path from the initial world to a world at rest (or to a bad world, where a run
stops). Faults are not part of worlds, so each world has a vector: the number of schedules that
continue from it with exactly 0, 1, 2, ... further faults. Along edges without fault the graph must
have no cycle; one would be a livelock.
"""

from __future__ import annotations

from eutaxy._base.verdict import Level
from eutaxy._explore.graph import Graph, WorldId
from eutaxy._explore.search import Found


class Livelock(Exception):
    """Worlds that lead back to themselves without any fault: a run that never ends."""


def count_found(found: Found) -> tuple[int, ...]:
    """Number of schedules with exactly 0, 1, ... faults in what a search has covered.

    Raises:
        Livelock: There is a cycle without faults.
    """
    if found.counted is not None:
        if found.counted.schedules is None:
            raise Livelock
        return found.counted.schedules
    if found.complete is None:
        return ()
    return count_complete(found.graph, found.complete, found.limits.redeliveries_max)


def count_complete(graph: Graph, complete: Level, redeliveries_max: int) -> tuple[int, ...]:
    """Number of schedules with exactly 0, 1, ... faults inside the complete levels.

    Raises:
        Livelock: There is a cycle without faults.
    """
    if complete.redeliveries == redeliveries_max:
        return count_schedules(graph, complete.faults, redeliveries_max)
    below: tuple[int, ...] = ()
    if complete.faults > 0:
        below = count_schedules(graph, complete.faults - 1, redeliveries_max)
    return (*below, count_schedules(graph, complete.faults, complete.redeliveries)[-1])


def count_schedules(graph: Graph, faults_max: int, redeliveries_max: int) -> tuple[int, ...]:
    """Number of schedules with exactly 0, 1, ... `faults_max` faults, by dynamic programming.

    Args:
        graph: A searched graph in which all worlds within the two limits were expanded.
        faults_max: Most faults.
        redeliveries_max: Most redeliveries.

    Raises:
        Livelock: There is a cycle without faults.
    """
    if not graph.worlds:
        return (0,) * (faults_max + 1)
    order = _order(graph)
    counts: list[list[int]] = []
    for faults in range(faults_max + 1):
        layer = [0] * len(graph.worlds)
        below = counts[-1] if counts else None
        for world in order:
            if graph.fewest[world] + faults > faults_max:
                continue
            if graph.redeliveries[world] > redeliveries_max:
                continue
            if graph.is_bad[world] and not graph.is_resting[world]:
                layer[world] = 1 if faults == 0 else 0
                continue
            total = 1 if graph.is_resting[world] and faults == 0 else 0
            for edge in graph.edges(world):
                if graph.edge_faults[edge]:
                    if below is not None:
                        total += below[graph.edge_target[edge]]
                else:
                    total += layer[graph.edge_target[edge]]
            layer[world] = total
        counts.append(layer)
    return tuple(layer[0] for layer in counts)


def _order(graph: Graph) -> list[WorldId]:
    """Worlds, each after all that it leads to without a fault."""
    order: list[WorldId] = []
    state = bytearray(len(graph.worlds))
    for root in range(len(graph.worlds)):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(graph.edges(root)))]
        while stack:
            world, edges = stack[-1]
            for edge in edges:
                if graph.edge_faults[edge]:
                    continue
                target = graph.edge_target[edge]
                if state[target] == 0:
                    state[target] = 1
                    stack.append((target, iter(graph.edges(target))))
                    break
                if state[target] == 1:
                    raise Livelock
            else:
                state[world] = 2
                order.append(world)
                stack.pop()
    return order
