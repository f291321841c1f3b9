"""All ways to the bad worlds of one level that differ in their faults, each as a shortest path.

The graph keeps every edge, so the ways can be read off it: backwards from the bad worlds to learn
what can still reach one with so many faults, then forwards along that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from eutaxy._explore.graph import Graph, WorldId

WAYS_MAX = 500
"""Ways that are looked at; more are counted as "at least"."""

VISITS_MAX = 400_000
"""Worlds that may be visited while paths are joined."""


@dataclass(frozen=True, slots=True)
class Way:
    """A path from the initial world: the index of the choice taken in each world, and its end."""

    choices: tuple[int, ...]
    end: WorldId


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways found, in a fixed order; `is_all` tells whether there may be more."""

    ways: tuple[Way, ...]
    is_all: bool


class WayFinder:
    """Finds the ways to some bad worlds of a searched graph.

    Args:
        graph: The graph.
        bad: The bad worlds.
        faults: Exactly so many faults.
    """

    def __init__(self, graph: Graph, bad: list[WorldId], faults: int) -> None:
        self._graph = graph
        self._bad = set(bad)
        self._faults = faults
        self._can = self._reaching(bad, faults)
        self._trees: dict[tuple[WorldId, int], dict[WorldId, tuple[WorldId, int]]] = {}
        self._visits = 0

    def ways(self) -> Ways:
        """One shortest path for each different sequence of faulty edges."""
        found: list[Way] = []
        for way in self._extend(0, (), self._faults):
            found.append(way)
            if len(found) >= WAYS_MAX or self._visits > VISITS_MAX:
                return Ways(tuple(found), is_all=False)
        return Ways(tuple(found), is_all=True)

    def _extend(self, start: WorldId, done: tuple[int, ...], faults: int) -> Iterator[Way]:
        tree = self._tree(start, faults)
        if faults == 0:
            for world in tree:
                if world in self._bad:
                    yield Way(done + self._path(tree, start, world), world)
            return
        graph = self._graph
        for world in tree:
            for edge in graph.edges(world):
                target = graph.edge_target[edge]
                if graph.edge_faults[edge] and target in self._can[faults - 1]:
                    path = done + self._path(tree, start, world) + (graph.edge_choice[edge],)
                    yield from self._extend(target, path, faults - 1)

    def _tree(self, start: WorldId, faults: int) -> dict[WorldId, tuple[WorldId, int]]:
        """Shortest fault-free paths from a world, among worlds that can still reach a bad one."""
        if (start, faults) in self._trees:
            return self._trees[start, faults]
        graph, can = self._graph, self._can[faults]
        tree: dict[WorldId, tuple[WorldId, int]] = {start: (-1, -1)}
        queue = deque([start])
        while queue:
            world = queue.popleft()
            for edge in graph.edges(world):
                target = graph.edge_target[edge]
                if graph.edge_faults[edge] == 0 and target in can and target not in tree:
                    tree[target] = (world, graph.edge_choice[edge])
                    queue.append(target)
        self._visits += len(tree)
        self._trees[start, faults] = tree
        return tree

    def _path(
        self, tree: dict[WorldId, tuple[WorldId, int]], start: WorldId, end: WorldId
    ) -> tuple[int, ...]:
        choices: list[int] = []
        while end != start:
            end, choice = tree[end]
            choices.append(choice)
        return tuple(reversed(choices))

    def _reaching(self, bad: list[WorldId], faults: int) -> list[set[WorldId]]:
        """By number of faults, the worlds from which a bad one is reached with exactly so many."""
        graph = self._graph
        plain: dict[WorldId, list[WorldId]] = {}
        faulty: dict[WorldId, list[WorldId]] = {}
        for world in range(len(graph.worlds)):
            for edge in graph.edges(world):
                into = faulty if graph.edge_faults[edge] else plain
                into.setdefault(graph.edge_target[edge], []).append(world)
        layers: list[set[WorldId]] = []
        seeds = list(bad)
        for _ in range(faults + 1):
            layer = set(seeds)
            queue = deque(seeds)
            while queue:
                for source in plain.get(queue.popleft(), ()):
                    if source not in layer:
                        layer.add(source)
                        queue.append(source)
            layers.append(layer)
            seeds = sorted({s for world in layer for s in faulty.get(world, ())})
        return layers
