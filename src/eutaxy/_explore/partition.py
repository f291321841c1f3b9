"""One process's part of a search that several share.

Theory: every world has an owner, told by a number that is the same in every process. An owner alone
expands its worlds, so each world is expanded once and merging stays exact. A successor that belongs
to another partition is kept here as a *stub*: it is sent to its owner when it is first met, and
again only when it is met with fewer faults. Worlds cross as tuples in the sender's ids, beside what
those ids mean where the receiver has not been told yet.

What a partition does is a function of the calls it has got, in their order; a lost one is built
again by repeating them.
"""

from __future__ import annotations

import pickle
from array import array
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

from eutaxy._base.unanswered import Unanswered
from eutaxy._base.verdict import Level
from eutaxy._explore.graph import Explorable, Graph, WorldId
from eutaxy._explore.search import Limits
from eutaxy._world.component import Address, Local
from eutaxy._world.divisible import Remembered
from eutaxy._world.world import World


@dataclass(frozen=True, slots=True)
class Split:
    """What tells whose a world is.

    Args:
        key: The components whose states tell it, by the sum of the states' digests.
        owners: The owners of some sums: (sum, partition). Of the others, the sum itself tells.
    """

    key: tuple[Address, ...]
    owners: tuple[tuple[int, int], ...] = ()


class Divisible(Explorable, Protocol):
    """A graph of worlds that can be sent to another process."""

    def slot(self, address: Address) -> int:
        """Index of a component in world tuples."""
        ...

    def meaning(self, state: int) -> tuple[Address, Local]:
        """What a state id stands for."""
        ...

    def placed(self, address: Address, local: Local) -> tuple[int, int]:
        """Slot and id here of a component state."""
        ...

    def digest(self, state: int) -> int:
        """A number for a state that is the same in every process."""
        ...

    def remembered(self) -> Remembered:
        """What the transitions taken so far have told."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """How the worlds are shared out.

    Args:
        number: This partition, from 0.
        count: All partitions.
        split: What tells whose a world is.
    """

    number: int
    count: int
    split: Split


@dataclass(frozen=True, slots=True)
class Advanced:
    """What one call of `Partition.advance` came to.

    Args:
        out: Worlds for other partitions: (owner, batch).
        worlds: Worlds owned so far.
        transitions: Transitions taken so far.
        bad: Bad worlds expanded so far.
        is_idle: Whether nothing of the level is left to expand here.
        questions: What must be answered before some worlds can be expanded.
    """

    out: tuple[tuple[int, bytes], ...]
    worlds: int
    transitions: int
    bad: int
    is_idle: bool
    questions: tuple[Hashable, ...] = ()


SLICE_MIN = 64
"""Worlds that a partition expands before it tells the others, unless fewer are to be."""


class _Outbox:
    """What is sent to one other partition; worlds are numbered from the first one ever sent."""

    def __init__(self) -> None:
        self.stubs = array("q")
        self.worlds: list[World] = []
        self.levels = bytearray()
        self.lowered: list[tuple[int, int]] = []
        self.meanings: list[tuple[int, Address, Local]] = []
        self.told: set[int] = {0}

    def take(self) -> bytes | None:
        """Everything since the last time, packed."""
        if not (self.worlds or self.lowered):
            return None
        packed = pickle.dumps((self.meanings, self.worlds, bytes(self.levels), self.lowered))
        self.worlds, self.levels, self.lowered, self.meanings = [], bytearray(), [], []
        return packed


class Partition:
    """Owns a share of the worlds.

    Args:
        system: The graph.
        limits: Where the search ends.
        division: Which share.
    """

    def __init__(self, system: Divisible, limits: Limits, division: Division) -> None:
        assert limits.is_merging
        assert limits.faults_max < 256
        assert limits.redeliveries_max < 256
        self._system = system
        self._limits = limits
        self._number = division.number
        self._count = division.count
        slots = [system.slot(address) for address in division.split.key]
        self._key_states: Callable[[World], int | tuple[int, ...]] = (
            itemgetter(*slots) if slots else lambda _: ()
        )
        self._padding = (0,) * (1 + max(slots, default=0))
        self._owners = dict(division.split.owners)
        self._owner_by_key: dict[int | tuple[int, ...], int] = {}
        self.graph = Graph()
        # By world: the number under which a stub was sent; -1 for an owned world.
        self.sent = array("q")
        self.owner = array("H")
        self.bad: list[WorldId] = []
        self.received: list[array[int]] = [array("q") for _ in range(division.count)]
        self.outboxes = [_Outbox() for _ in range(division.count)]
        self._tables: list[dict[int, tuple[int, int]]] = [{} for _ in range(division.count)]
        self._width = 1
        self._queues: dict[tuple[int, int], deque[WorldId]] = {}
        self._blocked: list[WorldId] = []
        self._owned = 0
        self._transitions = 0
        root = system.initial
        self.has_root = self._owner_of(root) == self._number
        if self.has_root:
            self._queue(0, 0).append(self._add(root, 0, 0, self._number))

    def advance(
        self, level: Level, inbound: tuple[tuple[int, bytes], ...], worlds_max: int
    ) -> Advanced:
        """Take worlds from other partitions, and expand up to so many of a level.

        Args:
            level: The level that is being searched.
            inbound: Batches of others: (sender, batch).
            worlds_max: Worlds to expand before the others are told.
        """
        for sender, batch in inbound:
            self._receive(sender, batch)
        faults, redeliveries = level.faults, level.redeliveries
        queue, fewest = self._queue(faults, redeliveries), self.graph.fewest
        is_expanded = self.graph.is_expanded
        queue.extendleft(reversed(self._blocked))
        self._blocked.clear()
        questions: dict[Hashable, None] = {}
        # The end of a level comes closer in ever smaller steps, so that nobody waits long.
        left = min(worlds_max, max(SLICE_MIN, len(queue) // 2))
        while queue and left:
            world = queue.popleft()
            if is_expanded[world] or fewest[world] != faults:
                continue
            left -= 1
            try:
                self._expand(world, faults, redeliveries, queue)
            except Unanswered as unanswered:
                questions[unanswered.question] = None
                self._blocked.append(world)
        out = tuple(
            (owner, packed)
            for owner, outbox in enumerate(self.outboxes)
            for packed in (outbox.take(),)
            if packed is not None
        )
        return Advanced(
            out,
            self._owned,
            self._transitions,
            len(self.bad),
            not queue,
            tuple(questions),
        )

    def _queue(self, faults: int, redeliveries: int) -> deque[WorldId]:
        return self._queues.setdefault((faults, redeliveries), deque())

    def _owner_of(self, world: World) -> int:
        try:
            states = self._key_states(world)
        except IndexError:
            states = self._key_states((*world, *self._padding))
        owner = self._owner_by_key.get(states)
        if owner is None:
            owner = self._owner_by_key[states] = self._told_owner(states)
        return owner

    def _told_owner(self, states: int | tuple[int, ...]) -> int:
        """The partition to which worlds with such states of the key's components belong."""
        met = states if isinstance(states, tuple) else (states,)
        total = sum(self._system.digest(state) for state in met if state)
        owner = self._owners.get(total)
        return total % self._count if owner is None else owner

    def _add(self, world: World, faults: int, redeliveries: int, owner: int) -> WorldId:
        number = self.graph.add(world, faults, redeliveries, is_merging=True)
        self.owner.append(owner)
        if owner == self._number:
            self._owned += 1
            self.sent.append(-1)
            return number
        outbox = self.outboxes[owner]
        self.sent.append(len(outbox.stubs))
        outbox.stubs.append(number)
        outbox.worlds.append(world)
        outbox.levels += bytes((faults, redeliveries))
        told = outbox.told
        if not told.issuperset(world):
            for state in world:
                if state not in told:
                    told.add(state)
                    outbox.meanings.append((state, *self._system.meaning(state)))
        return number

    def _receive(self, sender: int, batch: bytes) -> None:
        meanings, worlds, levels, lowered = pickle.loads(batch)  # noqa: S301 - from our own kind
        table, received = self._tables[sender], self.received[sender]
        for state, address, local in meanings:
            slot, mine = table[state] = self._system.placed(address, local)
            self._width = max(self._width, slot + 1)
        width = self._width
        ids, fewest = self.graph.ids, self.graph.fewest
        for at, theirs in enumerate(worlds):
            states = [0] * width
            for state in theirs:
                if state:
                    slot, mine = table[state]
                    states[slot] = mine
            while not states[-1]:
                states.pop()
            world = tuple(states)
            faults, redeliveries = levels[2 * at], levels[2 * at + 1]
            number = ids.get(world)
            if number is None:
                number = self._add(world, faults, redeliveries, self._number)
                self._queue(faults, redeliveries).append(number)
            elif fewest[number] > faults:
                self._lower(number, faults)
            received.append(number)
        for at, faults in lowered:
            if fewest[received[at]] > faults:
                self._lower(received[at], faults)

    def _lower(self, world: WorldId, faults: int) -> None:
        """Note that a world was met with fewer faults than before."""
        self.graph.fewest[world] = faults
        owner = self.owner[world]
        if owner == self._number:
            self._queue(faults, self.graph.redeliveries[world]).append(world)
        else:
            self.outboxes[owner].lowered.append((self.sent[world], faults))

    def _expand(
        self, world: WorldId, faults: int, redeliveries: int, queue: deque[WorldId]
    ) -> None:
        """Add what a world leads to; nothing at all when something is unanswered."""
        graph, system = self.graph, self._system
        value = graph.worlds[world]
        if system.is_bad(value):
            graph.is_expanded[world] = 1
            self._meet_bad(world)
            return
        before = len(graph.edge_target)
        try:
            is_resting = self._add_edges(world, faults, redeliveries, queue)
            is_bad = is_resting and system.is_bad_at_rest(value)
        except Unanswered:
            # What was met stays met; the edges are added again when the answer has come.
            del graph.edge_target[before:], graph.edge_choice[before:], graph.edge_faults[before:]
            raise
        graph.edges_from[world] = before
        graph.edges_to[world] = len(graph.edge_target)
        self._transitions += len(graph.edge_target) - before
        graph.is_expanded[world] = 1
        if is_resting:
            graph.is_resting[world] = 1
        if is_bad:
            self._meet_bad(world)

    def _add_edges(
        self, world: WorldId, faults: int, redeliveries: int, queue: deque[WorldId]
    ) -> bool:
        """Take the choices of a world; tell whether it is at rest without further faults."""
        graph, system, me = self.graph, self._system, self._number
        value, is_resting = graph.worlds[world], True
        faults_left = self._limits.faults_max - faults
        redeliveries_left = self._limits.redeliveries_max - redeliveries
        ids, fewest, step = graph.ids, graph.fewest, system.step
        add_target, add_choice = graph.edge_target.append, graph.edge_choice.append
        add_faults = graph.edge_faults.append
        for number, option in enumerate(system.choices(value)):
            cost, again = option[2], option[3]
            if not (cost or again):
                is_resting = False
            elif cost > faults_left or again > redeliveries_left:
                continue
            after = step(value, option)
            target = ids.get(after)
            if target is None:
                owner = self._owner_of(after)
                target = self._add(after, faults + cost, redeliveries + again, owner)
                if owner != me:
                    pass
                elif cost or again:
                    self._queue(faults + cost, redeliveries + again).append(target)
                else:
                    queue.append(target)
            elif fewest[target] > faults + cost:
                self._lower(target, faults + cost)
            add_target(target)
            add_choice(number)
            add_faults(cost)
        return is_resting

    def _meet_bad(self, world: WorldId) -> None:
        self.graph.is_bad[world] = 1
        self.bad.append(world)
