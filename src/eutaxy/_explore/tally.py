"""Counting the schedules of a search that several processes shared, each where its worlds are.

Theory: the number of ways to a world with exactly so many faults is the sum over the edges into it;
that of schedules is the sum over the worlds in which they end. Edges without fault have no cycle,
so a world's number is known once all that lead to it without a fault have told theirs, here or in
another partition. A stub tells its number to the owner of its world when everything here has added
to it. What is ready is worked off in rounds; the rounds of the first pass (no faults) are
remembered and repeated for one fault more, of which the numbers come over the faulty edges, and so
on.

`count` counts the same from the ends, in one process.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from eutaxy._explore.graph import WorldId
from eutaxy._explore.partition import Partition
from eutaxy._explore.team import Tallied, Tally, Team, Told


class Tallying:
    """Counts in one partition.

    Args:
        partition: It, after a complete search without bad worlds.
    """

    def __init__(self, partition: Partition) -> None:
        self._partition = partition
        self._graph = partition.graph
        count = len(partition.graph.worlds)
        # By world: ways with so many faults as the pass counts, and with one more.
        self._now, self._later = [0] * count, [0] * count
        self._rounds: list[list[WorldId]] = []
        self._waits = self._waiting()
        self._ready = [world for world, waits in enumerate(self._waits) if not waits]
        if partition.has_root:
            self._now[0] = 1

    def tally(self, call: Tally) -> Tallied:
        """Work off what is ready in one round.

        Args:
            call: The pass, the round, and what others have told.
        """
        is_first = call.faults == 0
        if call.round == 0 and not is_first:
            self._now, self._later = self._later, [0] * len(self._now)
        self._hear(call.inbound, is_first=is_first)
        if is_first:
            self._rounds.append(self._in_order())
        out: dict[int, list[tuple[int, int]]] = {}
        ended = self._work_off(call, out)
        told = tuple((owner, pickle.dumps(each)) for owner, each in sorted(out.items()))
        return Tallied(told, ended, sum(map(bool, self._waits)) if is_first and not out else 0)

    def _waiting(self) -> list[int]:
        """By world: how many numbers have yet to be added to its own."""
        graph, partition = self._graph, self._partition
        waits = [0] * len(graph.worlds)
        for target, faults in zip(graph.edge_target, graph.edge_faults, strict=True):
            if not faults:
                waits[target] += 1
        for worlds in partition.received:
            for world in worlds:
                waits[world] += 1
        return waits

    def _hear(self, inbound: Sequence[tuple[int, Told]], *, is_first: bool) -> None:
        now, waits = self._now, self._waits
        for sender, told in inbound:
            received = self._partition.received[sender]
            for sent, ways in pickle.loads(told):  # noqa: S301 - from our own kind
                world = received[sent]
                now[world] += ways
                if is_first:
                    waits[world] -= 1
                    if not waits[world]:
                        self._ready.append(world)

    def _in_order(self) -> list[WorldId]:
        """Everything that is ready, and that becomes so, each after all that lead to it."""
        graph, waits, order = self._graph, self._waits, self._ready
        self._ready = []
        edge_target, edge_faults = graph.edge_target, graph.edge_faults
        for world in order:
            for edge in range(graph.edges_from[world], graph.edges_to[world]):
                if not edge_faults[edge]:
                    target = edge_target[edge]
                    left = waits[target] = waits[target] - 1
                    if not left:
                        order.append(target)
        return order

    def _work_off(self, call: Tally, out: dict[int, list[tuple[int, int]]]) -> int:
        """Add the numbers of a round's worlds to what they lead to; give the schedules that end."""
        graph, now, later = self._graph, self._now, self._later
        sent, owner, is_resting = self._partition.sent, self._partition.owner, graph.is_resting
        edges_from, edges_to = graph.edges_from, graph.edges_to
        edge_target, edge_faults = graph.edge_target, graph.edge_faults
        is_first, is_last = call.faults == 0, call.is_last
        ended = 0
        for world in self._rounds[call.round]:
            ways = now[world]
            if sent[world] >= 0:
                # In the first pass also nothing is told: the owner waits for it.
                if ways or is_first:
                    out.setdefault(owner[world], []).append((sent[world], ways))
            elif ways:
                if is_resting[world]:
                    ended += ways
                for edge in range(edges_from[world], edges_to[world]):
                    if not edge_faults[edge]:
                        now[edge_target[edge]] += ways
                    elif not is_last:
                        later[edge_target[edge]] += ways
        return ended


def count_together(team: Team, faults_max: int) -> tuple[int, ...] | None:
    """Number of schedules with exactly 0, 1, ... `faults_max` faults, after a complete search.

    Returns:
        None when there is a cycle without faults.
    """
    counts: list[int] = []
    rounds = 0
    for faults in range(faults_max + 1):
        ended = number = 0
        inboxes: list[list[tuple[int, Told]]] = [[] for _ in range(team.count)]
        while faults == 0 or number < rounds:
            for partition in range(team.count):
                inbound = tuple(inboxes[partition])
                team.send(partition, Tally(faults, number, inbound, is_last=faults == faults_max))
                inboxes[partition] = []
            answers = [team.receive() for _ in range(team.count)]
            tallied = [(sender, each) for sender, each in answers if isinstance(each, Tallied)]
            ended += sum(each.ended for _, each in tallied)
            number += 1
            for sender, each in tallied:
                for owner, told in each.out:
                    inboxes[owner].append((sender, told))
            if faults == 0 and not any(inboxes):
                if any(each.left for _, each in tallied):
                    return None
                rounds = number
                break
        counts.append(ended)
    return tuple(counts)
