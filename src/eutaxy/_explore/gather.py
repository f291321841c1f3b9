"""The graph of a search that several processes shared, put together in one.

What the partitions own is numbered anew, partition after partition, with the initial world first.
The values of worlds stay where they are, except those of the bad ones: a path is executed again
anyway, and whoever walks the edges needs none.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import accumulate, compress, repeat

from eutaxy._explore.graph import Graph, WorldId
from eutaxy._explore.partition import Divisible, Partition
from eutaxy._world.component import Address, Local
from eutaxy._world.world import World

BadWorld = tuple[WorldId, tuple[tuple[Address, Local], ...]]
"""A bad world of a partition: its number there, and the states of its components."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one partition has at the end. Arrays go by its own numbers of worlds.

    Args:
        has_root: Whether its first world is the initial one.
        is_owned: 1 for an owned world, 0 for a stub.
        fewest: As in `Graph`, and likewise the following.
        redeliveries: For each world.
        is_expanded: For each world.
        is_resting: For each world.
        edges_from: For each world.
        edges_to: For each world.
        edge_target: For each edge.
        edge_choice: For each edge.
        edge_faults: For each edge.
        stubs: By owner: the stubs sent to it, in order.
        received: By sender: the owned worlds it has sent, in order.
        bad: Bad worlds.
    """

    has_root: bool
    is_owned: bytes
    fewest: array[int]
    redeliveries: array[int]
    is_expanded: bytearray
    is_resting: bytearray
    edges_from: array[int]
    edges_to: array[int]
    edge_target: array[int]
    edge_choice: array[int]
    edge_faults: bytearray
    stubs: tuple[array[int], ...]
    received: tuple[array[int], ...]
    bad: tuple[BadWorld, ...]


def share_of(partition: Partition, system: Divisible) -> Share:
    """What a partition has."""
    graph = partition.graph
    return Share(
        has_root=partition.has_root,
        is_owned=bytes(map((-1).__eq__, partition.sent)),
        fewest=graph.fewest,
        redeliveries=graph.redeliveries,
        is_expanded=graph.is_expanded,
        is_resting=graph.is_resting,
        edges_from=graph.edges_from,
        edges_to=graph.edges_to,
        edge_target=graph.edge_target,
        edge_choice=graph.edge_choice,
        edge_faults=graph.edge_faults,
        stubs=tuple(outbox.stubs for outbox in partition.outboxes),
        received=tuple(partition.received),
        bad=tuple(
            (world, tuple(system.meaning(state) for state in graph.worlds[world] if state))
            for world in partition.bad
        ),
    )


def gathered(shares: list[Share], system: Divisible) -> tuple[Graph, list[WorldId]]:
    """One graph of all shares, and its bad worlds.

    Args:
        shares: By partition; the initial world is the first of its owner's.
        system: The graph, in this process.
    """
    graph = Graph()
    order = _root_first(shares)
    numbers = _numbers(shares, order)
    bad: list[WorldId] = []
    for partition in order:
        share, known = shares[partition], numbers[partition]
        before = len(graph.edge_target)
        graph.fewest.extend(compress(share.fewest, share.is_owned))
        graph.redeliveries.extend(compress(share.redeliveries, share.is_owned))
        graph.is_expanded.extend(compress(share.is_expanded, share.is_owned))
        graph.is_resting.extend(compress(share.is_resting, share.is_owned))
        for mine, theirs in (
            (graph.edges_from, share.edges_from),
            (graph.edges_to, share.edges_to),
        ):
            mine.extend(map(before.__add__, compress(theirs, share.is_owned)))
        graph.edge_target.extend(map(known.__getitem__, share.edge_target))
        graph.edge_choice.extend(share.edge_choice)
        graph.edge_faults.extend(share.edge_faults)
        bad += [known[world] for world, _ in share.bad]
    count = len(graph.fewest)
    graph.worlds.extend(repeat((), count))
    graph.is_bad.extend(bytes(count))
    graph.source.extend(repeat(0, count))
    graph.entry.extend(repeat(0, count))
    for partition in order:
        for world, states in shares[partition].bad:
            number = numbers[partition][world]
            graph.is_bad[number] = 1
            graph.worlds[number] = world_of(states, system)
    return graph, bad


def world_of(states: tuple[tuple[Address, Local], ...], system: Divisible) -> World:
    """The world, in this process's ids, whose components have these states."""
    placed = [system.placed(address, local) for address, local in states]
    world = [0] * (1 + max(slot for slot, _ in placed))
    for slot, state in placed:
        world[slot] = state
    return tuple(world)


def _root_first(shares: list[Share]) -> list[int]:
    """The partitions, beginning with the one that owns the initial world."""
    (root,) = (number for number, share in enumerate(shares) if share.has_root)
    return [root, *(number for number in range(len(shares)) if number != root)]


def _numbers(shares: list[Share], order: list[int]) -> list[array[int]]:
    """By partition: the new number of each of its worlds, stubs included."""
    numbers: list[array[int]] = [array("q") for _ in shares]
    before = 0
    for partition in order:
        owned = shares[partition].is_owned
        numbers[partition] = array("q", accumulate(owned, initial=before))
        numbers[partition].pop()
        before += sum(owned)
    for sender, share in enumerate(shares):
        for owner, stubs in enumerate(share.stubs):
            theirs = shares[owner].received[sender]
            for stub, world in zip(stubs, theirs, strict=True):
                numbers[sender][stub] = numbers[owner][world]
    return numbers
