"""Explore all runs of a program with so many faults, and check every step of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eutaxy._base.code import NewRead
from eutaxy._base.note import Note
from eutaxy._world.world import CLOCK_SLOT, World
from tests.rules.invariants import check_step
from tests.rules.play import Play


@dataclass
class Explored:
    """All runs from where a play stands.

    Args:
        worlds: How many different worlds were met.
        struck: Faults that are offered, with what they strike: ("crash_after", "step_result").
        ends: What `look` sees where nothing is left to happen.
    """

    worlds: int = 0
    struck: set[tuple[str, str]] = field(default_factory=set)
    ends: set[Any] = field(default_factory=set)


def explore(
    run: Play, *, faults: int, look: Callable[[Play, World], Any] = Play.status_in
) -> Explored:
    """Take every choice in every world but redeliveries, up to so many faults.

    Raises:
        AssertionError: A step broke a promise of section 4.3.
    """
    while True:
        try:
            return _explore(run, faults, look)
        except NewRead as read:
            run.key(read)


def _explore(run: Play, faults: int, look: Callable[[Play, World], Any]) -> Explored:
    system, found = run.system, Explored()
    least: dict[World, int] = {run.world: 0}
    queue = deque([run.world])
    while queue:
        world = queue.popleft()
        options = system.choices(world)
        is_at_rest = True
        for option in options:
            is_at_rest = is_at_rest and bool(option.faults or option.redeliveries)
            used = least[world] + option.faults
            if used > faults or option.redeliveries:
                continue
            if option.slot != CLOCK_SLOT:
                system.step(world, option)
            explained = system.explain(world, option)
            check_step(system, world, option, explained)
            if explained.fault is not None:
                struck = [each.struck for each in explained.notes if isinstance(each, Note)]
                found.struck |= {(explained.fault.value, name) for name in struck if name}
                if not any(struck):
                    found.struck.add((explained.fault.value, ""))
            if used < least.get(explained.world, faults + 1):
                least[explained.world] = used
                queue.append(explained.world)
        if is_at_rest:
            found.ends.add(look(run, world))
    found.worlds = len(least)
    return found
