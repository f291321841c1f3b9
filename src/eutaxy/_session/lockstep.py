"""Walking two models of one scenario in step: the factored one and the unfactored one.

Both are given the same choices, and must offer the same ones and tell the same story. They differ
when fibers share more than their answers: a step callback that writes a variable which `run` reads
later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from eutaxy._base.code import FibersShare
from eutaxy._base.fault import Fault
from eutaxy._base.note import Note
from eutaxy._base.verdict import Compared
from eutaxy._session.model import Model
from eutaxy._world.world import Explained, Option, World

STEPS_MAX = 2_000
"""Longest walk."""

STEPS_AFTER = 10
"""How far a walk goes on after the one fault that it is about."""

HELD_BACK = range(1, 11)
"""For how many steps a late answer is held back, so that it meets the attempts that follow."""

PATTERNS = ((True, False), (False, True), (True, True, False))
"""Whether a fault strikes when it may, again and again: each other attempt, and two of three."""

REPEATING = (
    Fault.REQUEST_LOST,
    Fault.ANSWER_LOST,
    Fault.ANSWER_LATE,
    Fault.FAILED_STATUS,
    Fault.STORE_FAILED,
)
"""Faults after which a step is tried again in the same lifetime, where variables live on."""


def compare_models(
    factored: Model,
    unfactored: Model,
    *,
    walks: int,
    faults_max: int,
    redeliveries_max: int,
    is_out_of_time: Callable[[], bool] = lambda: False,
) -> Compared:
    """Walk both models along the fault-free run, along each retry of each step, and at random.

    The walks are: the run without faults; runs in which a fault after which a step is tried again
    strikes time and again; for each step and each such fault, the run without faults until there,
    and some steps further, late answers also later; some random schedules; and, where more than
    one fault is allowed, each pair of steps that both have to be tried again.

    Args:
        factored: Model over fibers.
        unfactored: Model over whole activations.
        walks: Random walks, besides the systematic ones.
        faults_max: Most faults in a random walk.
        redeliveries_max: Most redeliveries in a random walk.
        is_out_of_time: Asked before each walk but the first; ends the comparison.

    Returns:
        How many of the walks came to their end, within the time and `STEPS_MAX`.

    Raises:
        FibersShare: The two differ.
    """
    pair = _Pair(factored, unfactored)
    start = _Start(factored.initial, unfactored.initial, 0)
    forks = pair.walk(start, _first)
    kinds = [fault for fault in REPEATING if any(fork.fault is fault for fork in forks)]
    choosers = [
        (start, pair.alternating(fault, pattern)) for pattern in PATTERNS for fault in kinds
    ]
    # Code cannot tell a lost request from a lost answer.
    told = [fork for fork in forks if fork.fault is not Fault.REQUEST_LOST]
    choosers += [(fork.start, _struck(fork)) for fork in told]
    late = [fork for fork in forks if fork.fault is Fault.ANSWER_LATE]
    choosers += [(fork.start, _held_back(fork, steps)) for fork in late for steps in HELD_BACK]
    draws = (_Drawn(walk, faults_max, redeliveries_max) for walk in range(1, walks + 1))
    choosers += [(start, draw.choose) for draw in draws]
    for begins, chooser in choosers:
        if is_out_of_time():
            break
        pair.walk(begins, chooser)
    planned = 1 + len(choosers)
    if faults_max > 1 and kinds:
        firsts = [fork for fork in forks if fork.fault is kinds[0]]
        planned += _compare_pairs(pair, firsts, is_out_of_time)
    return Compared(pair.ended, planned)


def _compare_pairs(pair: _Pair, firsts: Sequence[_Fork], is_out_of_time: Callable[[], bool]) -> int:
    """Let two steps fail in one lifetime, for each pair of them.

    Returns:
        How many walks that takes, as far as is known.

    Raises:
        FibersShare: The models differ.
    """
    planned = 0
    for number, first in enumerate(firsts):
        # The walk that finds the seconds, and one for each: the step itself and those after it.
        planned += 1 + len(firsts) - number
        if is_out_of_time():
            continue
        found = pair.walk(first.start, _struck(first, steps_after=STEPS_MAX))
        seconds = [
            each for each in found if each.fault is first.fault and each.start.at > first.start.at
        ]
        planned += len(seconds) - (len(firsts) - number)
        for second in seconds:
            if not is_out_of_time():
                pair.walk(second.start, _struck(second, steps_after=2 * STEPS_AFTER))
    return planned


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a walk begins: a world of each model, and how many steps lie before it."""

    factored: World
    unfactored: World
    at: int


@dataclass(frozen=True, slots=True)
class _Fork:
    """A choice that was not taken, after which a step of an instance would be tried again."""

    start: _Start
    number: int
    fault: Fault


Chooser: TypeAlias = Callable[[int, Sequence[Option]], int | None]
"""From the position in a walk and the options there, the index of the one to take; None ends it."""


def _first(at: int, options: Sequence[Option]) -> int | None:
    """What normally happens."""
    normal = (n for n, option in enumerate(options) if not option.faults | option.redeliveries)
    return next(normal, None)


def _struck(fork: _Fork, *, steps_after: int = STEPS_AFTER) -> Chooser:
    """One fault, then for a while what normally happens."""

    def choose(at: int, options: Sequence[Option]) -> int | None:
        if at == fork.start.at:
            return fork.number
        return _first(at, options) if at <= fork.start.at + steps_after else None

    return choose


def _held_back(fork: _Fork, steps: int) -> Chooser:
    """One late answer, which comes when so many steps have gone by, whatever else may happen."""

    def choose(at: int, options: Sequence[Option]) -> int | None:
        gone = at - fork.start.at
        if gone == 0:
            return fork.number
        normal = [n for n, each in enumerate(options) if not each.faults | each.redeliveries]
        if not normal or gone > 2 * STEPS_AFTER:
            return None
        # Older attempts come first, and so do their answers.
        return normal[-1] if gone <= steps else normal[0]

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
    """The two models, walked in step; `ended` counts the walks that came to their end."""

    def __init__(self, factored: Model, unfactored: Model) -> None:
        self.ended = 0
        self._factored = factored
        self._unfactored = unfactored

    def walk(self, start: _Start, choose: Chooser) -> list[_Fork]:
        """Walk once, and tell where else one could have gone.

        Raises:
            FibersShare: The models differ.
        """
        factored, unfactored = self._factored, self._unfactored
        left, right = start.factored, start.unfactored
        forks: list[_Fork] = []
        for at in range(start.at, STEPS_MAX):
            options, twins = factored.choices(left), unfactored.choices(right)
            offered = [factored.describe(option) for option in options]
            if offered != [unfactored.describe(option) for option in twins]:
                raise FibersShare("", "another choice of what may happen next")
            number = None if factored.is_bad(left) else choose(at, options)
            if number is None:
                self.ended += 1
                break
            for each, option in enumerate(options):
                fault = self._repeats(option)
                if fault is not None:
                    forks.append(_Fork(_Start(left, right, at), each, fault))
            told = factored.explain(left, options[number])
            twin = unfactored.explain(right, twins[number])
            _compare(told, twin)
            left, right = told.world, twin.world
        return forks

    def alternating(self, fault: Fault, pattern: Sequence[bool]) -> Chooser:
        """A kind of fault strikes steps in a pattern of the times that it may."""
        met = 0

        def choose(at: int, options: Sequence[Option]) -> int | None:
            nonlocal met
            strikes = (n for n, option in enumerate(options) if self._repeats(option) is fault)
            number = next(strikes, None)
            if number is None:
                return _first(at, options)
            met += 1
            return number if pattern[(met - 1) % len(pattern)] else _first(at, options)

        return choose

    def _repeats(self, option: Option) -> Fault | None:
        """The fault of an option, when it lets a step of an instance be tried again."""
        if self._factored.owner(option)[0] != "workflow":
            return None
        fault = self._factored.fault(option)
        return fault if fault in REPEATING else None


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
