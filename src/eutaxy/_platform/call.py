"""Calls between components: what every piece that owns fibers and every piece that answers them
share.

An owner sends `Perform` to the target of an effect; the target applies it and sends `Answered`
back. The owner picks the *fate* of the call beforehand and the target only echoes it: whether the
code hears the answer, hears a failure, hears it late, or dies is the owner's business alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from eutaxy._base.code import Effect, Outcome, Returned, Threw
from eutaxy._base.fault import Fault
from eutaxy._base.scenario import Seen
from eutaxy._base.value import Value, encode, error_value
from eutaxy._world.component import Address


class Fate(Enum):
    """What becomes of a call."""

    NORMAL = "normal"
    CRASH_BEFORE = "crash_before"
    CRASH_AFTER = "crash_after"
    CRASH_IN_FLIGHT = "crash_in_flight"
    REQUEST_LOST = "request_lost"
    ANSWER_LOST = "answer_lost"
    CUT_SHORT = "answer_lost, only the first entry was done"
    """The answer of a batch is lost, and so is all of it but its first entry (F-CR-7)."""
    ANSWER_LATE = "answer_late"
    FAILED_STATUS = "failed_status"
    OUTAGE = "outage"
    ANSWERS_OUTAGE = "answers_outage"
    STORE_FAILED = "store_failed"
    CRASH_IDLE = "crash_idle"
    TIMER_LATE = "timer_late"
    ATTEMPT_KILLED = "attempt_killed"
    DEPLOYED = "deployed"
    QUEUED_LONG = "queued_long"
    RETENTION_OVER = "retention_over"
    EVENT_AGAIN = "event_again"
    CRASH_SLEEP_NOTED = "crash_sleep_noted"
    CRASH_WAIT_NOTED = "crash_wait_noted"
    CRASH_RUN_LOGGED = "crash_run_logged"
    RESTART_HALF = "restart_half"
    STATUS_STALE = "status_stale"
    STATUS_UNKNOWN = "status_stale, it is unknown"

    @property
    def fault(self) -> Fault | None:
        """The fault that this fate is; None for the normal one."""
        if self is Fate.CUT_SHORT:
            return Fault.ANSWER_LOST
        if self is Fate.STATUS_UNKNOWN:
            return Fault.STATUS_STALE
        return None if self is Fate.NORMAL else Fault(self.value)


@dataclass(frozen=True, slots=True)
class Return:
    """Where an answer belongs: the owner's fiber and the effect's ordinal, with the chosen fate."""

    owner: Address
    fiber: str
    ordinal: int
    fate: Fate


@dataclass(frozen=True, slots=True)
class Perform:
    """Apply an effect.

    Args:
        effect: What to apply.
        back: Where the answer belongs.
        now_ms: Virtual time where a program reads the clock, else 0.
        origin: What code it came from (see `Happened`).
    """

    effect: Effect
    back: Return
    now_ms: int = 0
    origin: str = ""


@dataclass(frozen=True, slots=True)
class BeginOutage:
    """To a service: nothing reaches it for a while (its declaration says how long)."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The caller died while the call was under way: apply it later.

    The target passes it on to the calls in flight, unless it can tell that the call will change
    nothing.
    """

    effect: Effect
    activation: str
    now_ms: int = 0
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Fly:
    """To the calls in flight: keep a call until it lands.

    Args:
        target: Who will apply it.
        launch: The call.
        key: The idempotency key it carries, as (service, key); a call whose key gets used is over.
    """

    target: Address
    launch: Launch
    key: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class KeyUsed:
    """To the calls in flight: calls with this (service, key) will change nothing any more."""

    key: tuple[str, str]


FLIGHT: Address = ("flight",)
"""Address of the calls in flight."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The target has applied the effect.

    Args:
        back: Where the answer belongs.
        outcome: The answer.
        shown: How the trace names the effect ("Fetch:payouts POST").
        latency_ms: Virtual time until the answer arrives.
        deferred_by: Who answers, when `Deferred` was sent before; None for an answer at once.
    """

    back: Return
    outcome: Outcome
    shown: str
    latency_ms: int = 0
    deferred_by: Address | None = None


@dataclass(frozen=True, slots=True)
class Deferred:
    """The target has taken up the effect and will answer it later: the caller only waits."""

    back: Return


@dataclass(frozen=True, slots=True)
class Act:
    """Choice: something pending in a fiber goes on, with the chosen fate.

    `status` is the HTTP status of a `FAILED_STATUS`.
    """

    fiber: str
    ordinal: int
    fate: Fate = Fate.NORMAL
    status: int = 0


@dataclass(frozen=True, slots=True)
class Hear:
    """Choice: an answer that already came back reaches the code."""

    fiber: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Route:
    """Where a CALL effect goes.

    Args:
        target: Who applies it.
        shown: How the trace names it.
        failure_statuses: Statuses with which it may fail.
        has_outages: Whether its target may be out for a while.
        fates: Optional misfortunes that may strike it.
    """

    target: Address
    shown: str
    failure_statuses: tuple[int, ...] = ()
    has_outages: bool = False
    fates: tuple[Fate, ...] = ()


Router: TypeAlias = Callable[[Effect], Route]
"""Finds the route of a CALL effect; raises ScenarioError for an undeclared one."""

Observers: TypeAlias = Callable[[Seen, str, str], tuple[Address, ...]]
"""Monitors that want to hear of (family, target, operation)."""


UNANSWERED = (Fate.ANSWER_LOST, Fate.ANSWERS_OUTAGE, Fate.CUT_SHORT, Fate.RESTART_HALF)
"""Fates in which the target does its work, or part of it, and the code hears of a failure."""

UNAPPLIED = (Fate.REQUEST_LOST, Fate.FAILED_STATUS, Fate.OUTAGE)
"""Fates in which the target does nothing and the code hears of it at once."""


def unapplied_outcome(act: Act) -> Outcome:
    """What code hears of a call that did nothing."""
    if act.fate is Fate.FAILED_STATUS:
        return Returned(encode({"status": act.status, "headers": {}, "body": ""}))
    return LOST


Out: TypeAlias = tuple[Address, Hashable]

LOST = Threw(error_value("Error", "Network connection lost.", {"retryable": True}))
"""How a lost call looks to the code that made it (F1, D1-8 wording)."""


def answer_value(outcome: Outcome) -> Value:
    """An outcome as one value, for traces."""
    return outcome.value
