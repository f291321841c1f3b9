"""What a system of components remembers: what states offer, and what choices did to worlds."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from eutaxy._base.fault import Fault
from eutaxy._base.note import Told
from eutaxy._world.component import Gate

World: TypeAlias = tuple[int, ...]
"""Ids of component states by slot, without trailing zeros; 0 stands for "does not exist"."""

CLOCK_SLOT = -1


class Option(NamedTuple):
    """One choice of a world.

    Args:
        slot: The component it happens to; `CLOCK_SLOT` for the passing of time.
        message: Id of the message, or milliseconds for the clock.
        faults: Faults it costs (0 or 1).
        redeliveries: Redeliveries it costs (0 or 1).
        budgets: Slots of the fault budgets that it draws on.
    """

    slot: int
    message: int
    faults: int
    redeliveries: int
    budgets: tuple[int, ...] = ()


class Offer:
    """What one component state offers; computed once."""

    __slots__ = ("again", "free", "is_running", "overlap", "start", "step", "timer")

    def __init__(
        self,
        timer: int | None,
        gates: dict[Gate, tuple[Option, ...]],
        *,
        is_running: bool,
    ) -> None:
        self.is_running = is_running
        self.timer = timer
        self.step = gates[Gate.STEP]
        self.start = gates[Gate.START]
        self.overlap = gates[Gate.OVERLAP]
        self.again = gates[Gate.AGAIN]
        self.free = gates[Gate.FREE]


class Macro:
    """What one choice of one component state does to a world, by the slots that it looks at.

    A choice sends messages to and fro between a few components. What comes of it depends on their
    states alone, so the whole exchange is remembered as one look-up.
    """

    __slots__ = ("read", "slots", "table")

    def __init__(self, slots: frozenset[int]) -> None:
        self.slots = slots
        self.read = itemgetter(*sorted(slots))
        self.table: dict[object, tuple[tuple[int, int], ...]] = {}


@dataclass(frozen=True, slots=True)
class Explained:
    """A step of the world with what it has to tell.

    Args:
        world: The world after the step.
        notes: Lines and matches, in order.
        passed_ms: Virtual time that passed.
        fault: The fault that the choice injected.
    """

    world: World
    notes: tuple[Told, ...]
    passed_ms: int
    fault: Fault | None
