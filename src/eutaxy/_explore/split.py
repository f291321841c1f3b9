"""Choosing what tells whose a world is.

Any choice is right; a good one gives the partitions equal shares and keeps most successors of a
world with its owner. A component that has many states and seldom changes does both. Which one that
is depends on the scenario, so it is measured on the worlds that were searched before the work was
shared out.
"""

from __future__ import annotations

from eutaxy._explore.graph import Graph, WorldId
from eutaxy._explore.partition import Divisible, Key
from eutaxy._world.component import Address
from eutaxy._world.world import World

SAMPLE_MAX = 3_000
"""Worlds that are looked at."""

CROSSING_COST = 2
"""What it costs to send a world to another partition, in expansions of one edge."""


def choose_key(system: Divisible, graph: Graph, count: int) -> Key:
    """The component, or the two, by which so many partitions would have the least to do.

    Args:
        system: The graph.
        graph: Some of it, searched.
        count: Number of partitions.
    """
    expanded = [world for world in range(len(graph.worlds)) if graph.is_expanded[world]]
    sample = expanded[:: 1 + len(expanded) // SAMPLE_MAX] or [0]
    slots = range(max(len(graph.worlds[world]) for world in sample))
    trial = _Trial(system, graph, sample, count)
    ranked = sorted((trial.cost((slot,)), slot) for slot in slots)
    best_cost = ranked[0][0]
    best: tuple[int, ...] = (ranked[0][1],)
    few = [slot for _, slot in ranked[:5]]
    for at, slot in enumerate(few):
        for other in few[:at]:
            cost = trial.cost((slot, other))
            if cost < best_cost:
                best_cost, best = cost, (slot, other)
    return tuple(sorted(trial.address(slot) for slot in best))


class _Trial:
    """Shares out a sample of worlds."""

    def __init__(self, system: Divisible, graph: Graph, sample: list[WorldId], count: int) -> None:
        self._system = system
        self._graph = graph
        self._sample = sample
        self._count = count
        self._digests: dict[int, int] = {0: 0}

    def cost(self, slots: tuple[int, ...]) -> int:
        """What the busiest partition would have to do."""
        work = [0] * self._count
        graph = self._graph
        for world in self._sample:
            owner = self._owner(graph.worlds[world], slots)
            for edge in graph.edges(world):
                work[owner] += 1
                after = self._owner(graph.worlds[graph.edge_target[edge]], slots)
                if after != owner:
                    work[owner] += CROSSING_COST
                    work[after] += CROSSING_COST
        return max(work)

    def address(self, slot: int) -> Address:
        """The component of a slot."""
        for world in self._graph.worlds:
            if slot < len(world) and world[slot]:
                return self._system.meaning(world[slot])[0]
        raise AssertionError(f"no world has a component in slot {slot}")

    def _owner(self, world: World, slots: tuple[int, ...]) -> int:
        total = 0
        for slot in slots:
            if slot < len(world):
                state = world[slot]
                if state not in self._digests:
                    self._digests[state] = self._system.digest(state)
                total += self._digests[state]
        return (total >> 20) % self._count
