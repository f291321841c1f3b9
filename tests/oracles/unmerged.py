"""Brute force: the whole tree of schedules, nothing merged, nothing remembered.

Shares no code with the search: it knows only `choices` and `step`, and counts leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from eutaxy._explore.graph import Explorable
from eutaxy._world.world import World


class TreeTooLarge(Exception):
    """More leaves than the test wants to wait for."""


@dataclass(slots=True)
class Tree:
    """What the tree of schedules holds.

    Args:
        leaves: Schedules by (faults, redeliveries).
        bad: Bad ends by (faults, redeliveries), as the worlds in which they end.
        worlds: All worlds seen.
        steps: Nodes of the tree.
    """

    leaves: Counter[tuple[int, int]] = field(default_factory=Counter)
    bad: dict[tuple[int, int], set[World]] = field(default_factory=dict)
    worlds: set[World] = field(default_factory=set)
    steps: int = 0

    def schedules(self, faults_max: int) -> tuple[int, ...]:
        """Schedules by number of faults."""
        return tuple(
            sum(count for (faults, _), count in self.leaves.items() if faults == each)
            for each in range(faults_max + 1)
        )

    def least_bad(self) -> tuple[int, int] | None:
        """Fewest faults, then fewest redeliveries, of a bad end."""
        return min(self.bad) if self.bad else None


def grow_tree(
    system: Explorable,
    faults_max: int,
    redeliveries_max: int,
    *,
    leaves_max: int = 400_000,
    is_inside: Callable[[int, int], bool] = lambda *_: True,
) -> Tree:
    """Walk every schedule within the limits, depth first.

    Args:
        system: What to walk.
        faults_max: Most faults.
        redeliveries_max: Most redeliveries.
        leaves_max: Where to give up.
        is_inside: A further limit on (faults, redeliveries).
    """
    tree = Tree()
    stack = [(system.initial, 0, 0)]
    while stack:
        world, faults, redeliveries = stack.pop()
        tree.worlds.add(world)
        tree.steps += 1
        here = (faults, redeliveries)
        if system.is_bad(world):
            tree.leaves[here] += 1
            tree.bad.setdefault(here, set()).add(world)
            continue
        options = system.choices(world)
        if all(option.faults or option.redeliveries for option in options):
            tree.leaves[here] += 1
            if system.is_bad_at_rest(world):
                tree.bad.setdefault(here, set()).add(world)
        for option in options:
            after = (faults + option.faults, redeliveries + option.redeliveries)
            if after[0] <= faults_max and after[1] <= redeliveries_max and is_inside(*after):
                stack.append((system.step(world, option), *after))
        if tree.leaves.total() > leaves_max:
            raise TreeTooLarge(tree.steps)
    return tree
