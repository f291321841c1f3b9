"""What the explorer is handed, and the part of the graph of worlds that it has seen."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from eutaxy._world.world import Option, World

WorldId: TypeAlias = int


class Explorable(Protocol):
    """A graph of worlds: two pure functions and two judgements."""

    @property
    def initial(self) -> World:
        """Where every schedule begins."""
        ...

    def choices(self, world: World) -> Sequence[Option]:
        """What may happen next, in a fixed order; empty at the end."""
        ...

    def step(self, world: World, option: Option) -> World:
        """What it leads to."""
        ...

    def is_bad(self, world: World) -> bool:
        """Whether an invariant is broken in this world (it is not explored further)."""
        ...

    def is_bad_at_rest(self, world: World) -> bool:
        """Whether an invariant that is judged at rest is broken in a world at rest."""
        ...


class Graph:
    """Worlds seen so far, and the edges of those that were expanded.

    Worlds are numbered in order of discovery. `fewest[w]` is the fewest faults with which world w
    is reached; `source[w]` and `entry[w]` are the world and the edge over which it was first met.
    Edges lie in flat arrays: world w's are `edges_from[w] : edges_to[w]`.
    """

    def __init__(self) -> None:
        self.ids: dict[World, WorldId] = {}
        self.worlds: list[World] = []
        self.fewest = array("i")
        self.redeliveries = array("i")
        self.is_expanded = bytearray()
        self.is_resting = bytearray()
        self.is_bad = bytearray()
        self.source = array("q")
        self.entry = array("q")
        self.edges_from = array("q")
        self.edges_to = array("q")
        self.edge_target = array("q")
        self.edge_choice = array("H")
        self.edge_faults = bytearray()

    def add(self, world: World, faults: int, redeliveries: int, *, is_merging: bool) -> WorldId:
        """Number a new world."""
        number = len(self.worlds)
        if is_merging:
            self.ids[world] = number
        self.worlds.append(world)
        self.fewest.append(faults)
        self.redeliveries.append(redeliveries)
        self.is_expanded.append(0)
        self.is_resting.append(0)
        self.is_bad.append(0)
        self.source.append(0)
        self.entry.append(0)
        self.edges_from.append(0)
        self.edges_to.append(0)
        return number

    def path_to(self, world: WorldId) -> tuple[int, ...]:
        """The choices that lead to a world; only in a graph whose worlds were not merged."""
        choices: list[int] = []
        while world:
            edge = self.entry[world]
            choices.append(self.edge_choice[edge])
            world = self.source[world]
        return tuple(reversed(choices))

    def edges(self, world: WorldId) -> range:
        """Indexes of a world's edges, in the order of its choices."""
        return range(self.edges_from[world], self.edges_to[world])
