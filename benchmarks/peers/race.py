"""The race that the Python tools are asked about: some tasks, each with the same number of effects.

The tasks share a balance, and each adds 1 to it once: the first task early, the last one late, so
that tasks which go on in turns do not meet. The planted ones read in one effect and write in the
next, so an addition is lost when two tasks stand between their two effects at once. The fixed ones
do both in one effect. Every other effect adds to a shared total, so each two effects of different
tasks conflict; with `is_apart` they touch nothing shared.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

SHAPES = ((2, 20), (3, 10))
"""Tasks, effects of each."""


@dataclass
class Shared:
    """What the tasks share; `order` is written only where the distinct orders are counted."""

    balance: int = 0
    total: int = 0
    order: list[int] = field(default_factory=list)


def adds_at(number: int, tasks: int, effects: int) -> int:
    """The effect, from 1, in which a task reads (and the fixed one writes) the balance."""
    return effects * (2 * number + 1) // (2 * tasks)


def is_lost_at(done: Sequence[int], effects: int) -> bool:
    """Whether an addition is bound to be lost, by how many effects each task has done.

    That is so where two of them have read and not written yet.
    """
    places = [adds_at(number, len(done), effects) for number in range(len(done))]
    return sum(count == place for count, place in zip(done, places, strict=True)) > 1


def task(
    number: int,
    tasks: int,
    effects: int,
    *,
    is_planted: bool,
    is_apart: bool = False,
    is_noted: bool = False,
) -> Callable[[Shared], Coroutine[Any, Any, None]]:
    """One of the tasks."""
    middle = adds_at(number, tasks, effects)

    async def run(shared: Shared) -> None:
        seen = 0
        for effect in range(1, effects + 1):
            await asyncio.sleep(0)
            if is_noted:
                shared.order.append(number)
            if effect == middle and is_planted:
                seen = shared.balance
            elif effect == middle:
                shared.balance += 1
            elif effect == middle + 1 and is_planted:
                shared.balance = seen + 1
            elif not is_apart:
                shared.total += 1

    return run


@dataclass
class Orders:
    """The distinct orders of effects that were seen."""

    seen: set[bytes] = field(default_factory=set)

    def note(self, shared: Shared) -> None:
        self.seen.add(bytes(shared.order))


def tell(**row: object) -> None:
    """Print one row for `run.py`."""
    print(json.dumps(row), flush=True)


def budget_s() -> float:
    """The seconds that one search may take."""
    return float(sys.argv[1])


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def __call__(self) -> float:
        return time.perf_counter() - self._start
