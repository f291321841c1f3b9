"""Walking two models of one scenario in step: the factored one and the unfactored one.

Both are given the same choices, and must offer the same ones and tell the same story. They differ
when fibers share more than their answers: a step callback that writes a variable which `run` reads
later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

from eutaxy._base.code import FibersShare
from eutaxy._base.fault import Fault
from eutaxy._base.note import Note
from eutaxy._session.model import Model
from eutaxy._world.world import Explained, Option

STEPS_MAX = 400
"""Longest walk."""


REPEATING = (
    Fault.REQUEST_LOST,
    Fault.ANSWER_LOST,
    Fault.ANSWER_LATE,
    Fault.FAILED_STATUS,
    Fault.STORE_FAILED,
)
"""Faults after which a step is tried again in the same lifetime, where variables live on."""


def compare_models(
    factored: Model, unfactored: Model, *, walks: int, faults_max: int, redeliveries_max: int
) -> None:
    """Walk both models along the fault-free run, along each retry of each step, and at random.

    The walks are: the run without faults; for each of its steps and each fault after which a step
    is tried again, the run with that fault; and some random schedules.

    Args:
        factored: Model over fibers.
        unfactored: Model over whole activations.
        walks: Random walks, besides the systematic ones.
        faults_max: Most faults in a random walk.
        redeliveries_max: Most redeliveries in a random walk.

    Raises:
        FibersShare: The two differ.
    """
    pair = _Pair(factored, unfactored)
    for at, number in pair.walk(_first):
        pair.walk(_struck(at, number))
    for walk in range(1, walks + 1):
        pair.walk(_Drawn(walk, faults_max, redeliveries_max).choose)


Chooser: TypeAlias = Callable[[int, Sequence[Option]], int | None]
"""From the position in a walk and the options there, the index of the one to take; None ends it."""


def _first(at: int, options: Sequence[Option]) -> int | None:
    """What normally happens."""
    normal = (n for n, option in enumerate(options) if not option.faults | option.redeliveries)
    return next(normal, None)


def _struck(position: int, number: int) -> Chooser:
    """What normally happens, except for one choice at one position."""

    def choose(at: int, options: Sequence[Option]) -> int | None:
        return number if at == position else _first(at, options)

    return choose


class _Drawn:
    """A random schedule within bounds; the number of the walk is its seed."""

    def __init__(self, walk: int, faults: int, redeliveries: int) -> None:
        self._walk = walk
        self._faults = faults
        self._redeliveries = redeliveries

    def choose(self, at: int, options: Sequence[Option]) -> int | None:
        open_now = [
            number
            for number, option in enumerate(options)
            if option.faults <= self._faults and option.redeliveries <= self._redeliveries
        ]
        if not open_now:
            return None
        number = open_now[_draw(self._walk, at, len(open_now))]
        self._faults -= options[number].faults
        self._redeliveries -= options[number].redeliveries
        return number


class _Pair:
    """The two models, walked in step."""

    def __init__(self, factored: Model, unfactored: Model) -> None:
        self._factored = factored
        self._unfactored = unfactored

    def walk(self, choose: Chooser) -> list[tuple[int, int]]:
        """Walk once.

        Returns:
            Choices that were not taken after which a step of an instance would be tried again, as
            (position, index).
        """
        factored, unfactored = self._factored, self._unfactored
        left, right = factored.initial, unfactored.initial
        retries: list[tuple[int, int]] = []
        for at in range(STEPS_MAX):
            options, twins = factored.choices(left), unfactored.choices(right)
            offered = [factored.describe(option) for option in options]
            if offered != [unfactored.describe(option) for option in twins]:
                raise FibersShare("", "another choice of what may happen next")
            number = None if factored.is_bad(left) else choose(at, options)
            if number is None:
                break
            retries += [(at, n) for n, option in enumerate(options) if self._repeats(option)]
            told = factored.explain(left, options[number])
            twin = unfactored.explain(right, twins[number])
            _compare(told, twin)
            left, right = told.world, twin.world
        return retries

    def _repeats(self, option: Option) -> bool:
        is_instance = self._factored.owner(option)[0] == "workflow"
        return is_instance and self._factored.fault(option) in REPEATING


def _compare(told: Explained, twin: Explained) -> None:
    for mine, other in zip(told.notes, twin.notes, strict=False):
        if mine != other:
            name = mine.activation if isinstance(mine, Note) else ""
            text = mine.text if isinstance(mine, Note) else "what a monitor saw"
            raise FibersShare(name, text)
    if len(told.notes) != len(twin.notes):
        raise FibersShare("", "one more thing that happens")


def _draw(walk: int, at: int, count: int) -> int:
    digest = hashlib.blake2b(f"{walk}/{at}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count
