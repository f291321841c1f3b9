"""Choices that are open only where the bounds name their fault ("opt" in 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from eutaxy._base.fault import Fault
from eutaxy._platform.call import Act, Fate
from eutaxy._platform.fiber import Fiber, Phase
from eutaxy._platform.workflows.engine import begin, crash
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.optional import left_by, restore_consumed
from eutaxy._platform.workflows.state import Instance, Key, Kind, Status
from eutaxy._platform.workflows.timers import is_due
from eutaxy._platform.workflows.turn import Turn
from eutaxy._world.component import Choice, Gate

QUEUED_LONG_MS = 3_600_000
"""How long an instance is queued when it is queued for long (F-ST-2)."""


@dataclass(frozen=True, slots=True)
class QueueLong:
    """Choice: an instance that may start is queued for long first (F-ST-2, F-LC-9)."""


@dataclass(frozen=True, slots=True)
class StartWithEvents:
    """Choice: the engine starts, and finds events that were consumed before (F-EV-6)."""


@dataclass(frozen=True, slots=True)
class CrashNoted:
    """Choice: the engine died when it had noted a sleep or a wait and not its timer (F-SL-1,
    F-EV-13)."""

    key: Key


@dataclass(frozen=True, slots=True)
class Deploy:
    """Choice: a deploy ends a lifetime that only waits, or comes before one begins (F-RUN-5)."""


@dataclass(frozen=True, slots=True)
class Forget:
    """Choice: the retention of an instance that has ended is over (F-CR-8)."""


OptionalChoice = QueueLong | StartWithEvents | CrashNoted | Deploy


def optional_choices(
    local: Instance, asked: tuple[Fault, ...], *, is_idle: bool
) -> tuple[Choice, ...]:
    """What may happen next to an instance besides, as far as it is asked for.

    Args:
        local: The instance.
        asked: Optional faults that may strike.
        is_idle: Whether it has a lifetime that only waits.
    """
    choices: list[Choice] = []
    is_starting = local.live is None and (local.back_ms is not None or is_due(local))
    if Fault.EVENT_AGAIN in asked and is_starting and local.loose.consumed:
        gate = Gate.OVERLAP if local.back_ms else Gate.START
        choices.append(Choice(StartWithEvents(), Fault.EVENT_AGAIN, gate))
    is_open = not local.status.is_terminal and not local.loose.is_deployed
    if Fault.DEPLOYED in asked and is_open and (is_starting or is_idle):
        gate = Gate.FREE if is_idle else Gate.OVERLAP if local.back_ms else Gate.START
        choices.append(Choice(Deploy(), Fault.DEPLOYED, gate))
    is_queued = local.status is Status.QUEUED and local.live is None and local.back_ms == 0
    if Fault.QUEUED_LONG in asked and is_queued:
        choices.append(Choice(QueueLong(), Fault.QUEUED_LONG, Gate.FREE))
    is_at_rest = local.status.is_terminal and local.live is None
    if Fault.RETENTION_OVER in asked and is_at_rest and local.kept_ms is None:
        choices.append(Choice(Forget(), Fault.RETENTION_OVER, Gate.FREE))
    noted = (CrashNoted(torn.key) for torn in local.loose.torn)
    return (*choices, *(Choice(each, fate_of(each).fault, Gate.FREE) for each in noted))


def kills(name: str, fiber: Fiber) -> list[Choice]:
    """The attempt may be ended in the middle of each call that is under way (R-LIM-2)."""
    if fiber.outcome is not None:
        return []
    acts = [
        Act(name, each.effect.ordinal, Fate.ATTEMPT_KILLED)
        for each in fiber.pending
        if each.phase is Phase.NEW
    ]
    return [Choice(act, act.fate.fault) for act in acts]


def fate_of(choice: OptionalChoice) -> Fate:
    """The misfortune that a choice is."""
    match choice:
        case QueueLong():
            return Fate.QUEUED_LONG
        case StartWithEvents():
            return Fate.EVENT_AGAIN
        case Deploy():
            return Fate.DEPLOYED
        case CrashNoted(key):
            is_sleep = key.kind is Kind.SLEEP
            return Fate.CRASH_SLEEP_NOTED if is_sleep else Fate.CRASH_WAIT_NOTED


def turn_for(local: Instance, choice: OptionalChoice, identity: Identity) -> Turn:
    """Open the instance at the moment at which the choice strikes."""
    if not isinstance(choice, CrashNoted):
        return Turn(local, identity)
    # What subscriptions have been told has happened.
    left = replace(left_by(local, choice.key), log=local.log, listeners=local.listeners)
    return Turn(left, identity)


def take_optional(turn: Turn, choice: OptionalChoice) -> None:
    """Do what the choice stands for."""
    match choice:
        case QueueLong():
            turn.instance = replace(turn.instance, back_ms=QUEUED_LONG_MS)
        case StartWithEvents():
            restore_consumed(turn)
            begin(turn)
        case CrashNoted():
            crash(turn)
        case Deploy():
            loose = replace(turn.instance.loose, is_deployed=True)
            turn.instance = replace(turn.instance, loose=loose)
            if turn.is_live:
                crash(turn)
            else:
                begin(turn)
