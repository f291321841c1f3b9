"""Choosing what tells whose a world is.

Any choice is right; a good one gives the partitions equal shares and keeps most successors of a
world with its owner. A component that has many states and seldom changes does both. Which one that
is depends on the scenario, so it is measured on the worlds that were searched before the work was
shared out.
"""

from __future__ import annotations

from math import isqrt

from eutaxy._explore.graph import Graph, WorldId
from eutaxy._explore.partition import Divisible, Split
from eutaxy._world.component import Address
from eutaxy._world.world import World

SAMPLE_MAX = 3_000
"""Worlds that are looked at for each component."""

WEIGHED_MAX = 20_000
"""Worlds that are looked at for the one that is chosen."""

UNEVEN_PERCENT = 4
"""How much more than its share a partition may get of what was met."""

SWEEPS_MAX = 20
"""How often every digest may be moved."""

UNEVEN_MAX = 250
"""Thousandths by which shares may be expected to differ before two components tell the owner."""

DIGESTS_MAX = 400
"""Most digests whose owners are chosen, the heaviest; the time for it grows with their square."""

CROSSING_COST = 5
"""What it costs that an edge leads to another partition, in expansions of one edge; measured."""


def choose_split(system: Divisible, graph: Graph, count: int) -> Split:
    """The component, or the two, by which so many partitions would have the least to do.

    Its states that were met are handed out so that the shares are equal.

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
    if trial.unevenness(best) > UNEVEN_MAX:
        # Two have more states to hand out, at the price of more edges that cross.
        few = [slot for _, slot in ranked[:5]]
        for at, slot in enumerate(few):
            for other in few[:at]:
                cost = trial.cost((slot, other))
                if cost < best_cost:
                    best_cost, best = cost, (slot, other)
    weighed = _Trial(system, graph, expanded[:: 1 + len(expanded) // WEIGHED_MAX], count)
    key = tuple(trial.address(slot) for slot in best)
    heavy = sorted(weighed.weights(best).items(), key=lambda each: (-each[1], each[0]))
    weights, links = dict(heavy[:DIGESTS_MAX]), weighed.links(best)
    return Split(key, _neighbours_together(_handed_out(weights, count), weights, links, count))


def _handed_out(weights: dict[int, int], count: int) -> dict[int, int]:
    """Give each digest, the heaviest first, to the partition that has least so far."""
    loads = [0] * count
    owners: dict[int, int] = {}
    for digest, weight in sorted(weights.items(), key=lambda each: (-each[1], each[0])):
        owner = loads.index(min(loads))
        loads[owner] += weight
        owners[digest] = owner
    return owners


def _neighbours_together(
    owners: dict[int, int],
    weights: dict[int, int],
    links: dict[int, dict[int, int]],
    count: int,
) -> tuple[tuple[int, int], ...]:
    """Bring digests to where most of their edges lead, while the shares stay nearly equal."""
    shares = _Shares(owners, weights, links, count)
    for _ in range(SWEEPS_MAX):
        order = sorted(owners, key=lambda each: (weights[each], each))
        if not sum([shares.improve(digest) for digest in order]):
            break
    return tuple(owners.items())


class _Shares:
    """Who owns what, while it is improved digest by digest.

    Local search on a weighted graph, as Kernighan and Lin do it but without their look ahead; it
    finds cuts that are some five times smaller than those of equal shares alone.
    """

    def __init__(
        self,
        owners: dict[int, int],
        weights: dict[int, int],
        links: dict[int, dict[int, int]],
        count: int,
    ) -> None:
        self._owners, self._weights, self._links = owners, weights, links
        self._count = count
        self._loads = [0] * count
        for digest, owner in owners.items():
            self._loads[owner] += weights[digest]
        self._load_max = sum(self._loads) * (100 + UNEVEN_PERCENT) // (100 * count)

    def improve(self, digest: int) -> bool:
        """Move or swap a digest if fewer edges cross then; tell whether it was."""
        here, ties = self._owners[digest], self._ties(digest)
        there = max(range(self._count), key=ties.__getitem__)
        gain = ties[there] - ties[here]
        if gain <= 0:
            return False
        if self._fits(there, self._weights[digest]):
            self._move(digest, there)
            return True
        partner = self._partner(digest, here, there, gain)
        if partner is None:
            return False
        self._move(partner, here)
        self._move(digest, there)
        return True

    def _partner(self, digest: int, here: int, there: int, gain: int) -> int | None:
        """The digest that had best go the other way; None when none makes it worth it."""
        best, partner = 0, None
        weight = self._weights[digest]
        for other, owner in self._owners.items():
            difference = weight - self._weights[other]
            if owner != there or not self._fits(there, difference):
                continue
            if not self._fits(here, -difference):
                continue
            ties = self._ties(other)
            both = gain + ties[here] - ties[there]
            both -= 2 * self._links[digest].get(other, 0)
            if both > best:
                best, partner = both, other
        return partner

    def _ties(self, digest: int) -> list[int]:
        """How many of a digest's edges lead to each partition."""
        ties = [0] * self._count
        for other, edges in self._links.get(digest, {}).items():
            ties[self._owners.get(other, other % self._count)] += edges
        return ties

    def _fits(self, partition: int, weight: int) -> bool:
        return self._loads[partition] + weight <= self._load_max

    def _move(self, digest: int, there: int) -> None:
        self._loads[self._owners[digest]] -= self._weights[digest]
        self._loads[there] += self._weights[digest]
        self._owners[digest] = there


_PARTS = 1_000
"""Fractions are counted in so many parts."""


class _Trial:
    """Looks at how a sample of worlds would be shared out."""

    def __init__(self, system: Divisible, graph: Graph, sample: list[WorldId], count: int) -> None:
        self._system = system
        self._graph = graph
        self._sample = sample
        self._count = count
        self._digests: dict[int, int] = {0: 0}

    def cost(self, slots: tuple[int, ...]) -> int:
        """What the busiest partition may be expected to have to do."""
        graph, count = self._graph, self._count
        work = 0
        for world in self._sample:
            digest = self._digest(graph.worlds[world], slots)
            for edge in graph.edges(world):
                after = self._digest(graph.worlds[graph.edge_target[edge]], slots)
                work += 1
                if after != digest:
                    # Of two different digests, one in `count` pairs falls to the same partition.
                    work += CROSSING_COST * (count - 1) // count
        return work * (_PARTS + self.unevenness(slots))

    def unevenness(self, slots: tuple[int, ...]) -> int:
        """By how many thousandths a share must be expected to be greater than its part.

        What was met is handed out as well as can be; about a third of the work is not met yet, and
        goes by chance.
        """
        weights = self.weights(slots)
        total = sum(weights.values()) or 1
        loads = [0] * self._count
        for digest, owner in _handed_out(weights, self._count).items():
            loads[owner] += weights[digest]
        squares = sum(weight * weight for weight in weights.values())
        chance = isqrt(_PARTS**2 * (self._count - 1) * squares // total**2)
        return max(loads) * self._count * _PARTS // total - _PARTS + chance // 3

    def links(self, slots: tuple[int, ...]) -> dict[int, dict[int, int]]:
        """How many edges lead from worlds with one digest to worlds with another, or back."""
        graph = self._graph
        links: dict[int, dict[int, int]] = {}
        for world in self._sample:
            here = self._digest(graph.worlds[world], slots)
            for edge in graph.edges(world):
                there = self._digest(graph.worlds[graph.edge_target[edge]], slots)
                if there != here:
                    for one, other in ((here, there), (there, here)):
                        of_one = links.setdefault(one, {})
                        of_one[other] = of_one.get(other, 0) + 1
        return links

    def weights(self, slots: tuple[int, ...]) -> dict[int, int]:
        """How many edges the worlds with each digest have."""
        graph = self._graph
        weights: dict[int, int] = {}
        for world in self._sample:
            digest = self._digest(graph.worlds[world], slots)
            weights[digest] = weights.get(digest, 0) + len(graph.edges(world))
        return weights

    def address(self, slot: int) -> Address:
        """The component of a slot."""
        for world in self._graph.worlds:
            if slot < len(world) and world[slot]:
                return self._system.meaning(world[slot])[0]
        raise AssertionError(f"no world has a component in slot {slot}")

    def _digest(self, world: World, slots: tuple[int, ...]) -> int:
        total = 0
        for slot in slots:
            if slot < len(world):
                state = world[slot]
                if state not in self._digests:
                    self._digests[state] = self._system.digest(state)
                total += self._digests[state]
        return total
