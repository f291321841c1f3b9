"""The component protocol: a small frozen state with pure transitions.

A world is made of components (the driver, each request, each instance, each service, each monitor).
Component code is written for the reader: it runs only the first time that a state meets a message;
after that the transition is remembered (see `system.py`).

Reading guide: a component *offers* choices (things that may happen next to it). When the explorer
takes one, its message is delivered to the component, which may send messages to others, which are
handled in first-in-first-out order within the same transition. Time is not a message: `tick` moves
a state by so many milliseconds, and `next_timer` says when it next wants something.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol, TypeAlias

from eutaxy._base.fault import Fault
from eutaxy._base.note import Told

Address: TypeAlias = tuple[str, ...]
"""Names a component: ("workflow", "APPROVALS", "exp-1"). Worlds are ordered by address."""

Local: TypeAlias = Hashable
"""A frozen component state; None stands for a component that does not exist (yet, or any more)."""


class Gate(IntEnum):
    """When a choice is open, seen from the whole world."""

    STEP = 0
    """An activation under way goes on."""
    START = 1
    """Something idle begins to run: it needs a free invocation slot."""
    OVERLAP = 2
    """As START, but only while something else is under way (else its timer decides)."""
    AGAIN = 3
    """A redelivery: optional, needs a free slot, has its own budget."""
    FREE = 4
    """Happens by itself, whatever else is under way: it needs no slot."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may happen next to a component.

    Args:
        message: What the component is sent when the choice is taken.
        fault: The fault that this choice injects, None for normal behaviour.
        gate: When it is open.
        target: Where the fault strikes, for limits of single places; empty for no place.
    """

    message: Hashable
    fault: Fault | None = None
    gate: Gate = Gate.STEP
    target: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Result of handling one message.

    Args:
        local: The new state; None ends the component.
        out: Messages to others (or to itself), in order.
        notes: Lines for the trace, in order; matches for the invariants.
    """

    local: Local
    out: tuple[tuple[Address, Hashable], ...] = ()
    notes: tuple[Told, ...] = ()


class Component(Protocol):
    """A pure state machine. All methods are functions of their arguments alone."""

    def initial(self) -> Local:
        """The state before anything happened; None when it does not exist yet."""
        ...

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """What may happen next here, what normally happens first."""
        ...

    def is_running(self, local: Local) -> bool:
        """Whether user code is under way here (it has something to do that takes no time)."""
        ...

    def next_timer(self, local: Local) -> int | None:
        """Milliseconds until the state wants something; 0 when it wants it now; None when never."""
        ...

    def tick(self, local: Local, ms: int) -> Local:
        """The state `ms` milliseconds later; never called beyond `next_timer`."""
        ...

    def on(self, local: Local, message: Hashable) -> Step:
        """Handle a message."""
        ...


class Passive:
    """A component without user code or timers; unless it says so, it only takes messages."""

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """None."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Nothing depends on time."""
        return local


class FaultBudget(Passive):
    """How many faults of some kinds may still strike; its state is that number.

    The system counts it down; it takes no part otherwise.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def initial(self) -> Local:
        """All of them."""
        return self._most

    def on(self, local: Local, message: Hashable) -> Step:
        """Nothing is sent to it."""
        raise AssertionError(f"a budget gets no messages: {message}")
