"""Faults that strike only where the bounds name them: what they leave behind ("opt" in 4.2).

Theory: some misfortunes need to know of the past, such as which events were consumed, or what a
crash between two writes of one transition would leave. That is kept in the loose ends of an
instance, and only where its fault is asked for, so that other checks have no more worlds.
"""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Outcome, Returned
from eutaxy._base.fault import Fault
from eutaxy._platform.call import Fate
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.events import forget_events
from eutaxy._platform.workflows.state import (
    BufferedEvent,
    Instance,
    Key,
    Kind,
    SleepRecord,
    Status,
    Torn,
    WaitRecord,
)
from eutaxy._platform.workflows.steps import conclude
from eutaxy._platform.workflows.subscriptions import broken
from eutaxy._platform.workflows.turn import Turn

_OF_CALLS = {
    "restart": (Fate.RESTART_HALF,),
    "status": (Fate.STATUS_STALE, Fate.STATUS_UNKNOWN),
}


def asked_fates(operation: str, asked: tuple[Fault, ...]) -> tuple[Fate, ...]:
    """Optional misfortunes of a call of a Workflow or an instance."""
    return tuple(each for each in _OF_CALLS.get(operation, ()) if each.fault in asked)


def tear(turn: Turn, key: Key) -> None:
    """Keep what a crash would leave now that a sleep or a wait is noted without its timer.

    The sleep is then over at once (F-SL-1), the wait begins anew (F-EV-13).
    """
    is_sleep = key.kind is Kind.SLEEP
    fault = Fault.CRASH_SLEEP_NOTED if is_sleep else Fault.CRASH_WAIT_NOTED
    if fault not in turn.identity.asked or turn.rollback is not None:
        return
    left = Turn(turn.instance, turn.identity)
    left.drop_lifetime()
    left.steps = dict(turn.steps)
    left.sleeps = dict(turn.sleeps)
    left.waits = dict(turn.waits)
    left.slots = dict(turn.slots)
    left.events = list(turn.events)
    left.started = list(turn.started)
    if is_sleep:
        left.sleeps[key] = SleepRecord(key, None)
    else:
        left.waits.pop(key, None)
        left.started = [each for each in left.started if each != key]
    torn = (*turn.instance.loose.torn, Torn(key, left.freeze()))
    turn.instance = replace(turn.instance, loose=replace(turn.instance.loose, torn=torn))


def kill_attempt(turn: Turn, name: str) -> None:
    """The fiber of an attempt is ended, and with it the attempt (R-LIM-2)."""
    run = next(each for each in turn.runs.values() if each.is_attempting and each.fiber == name)
    del turn.fibers[name]
    turn.can_crash_before = True
    conclude(turn, run, errors.plain("Worker exceeded CPU time limit."))


def left_by(local: Instance, key: Key) -> Instance:
    """What the crash at the noting of a sleep or a wait has left."""
    return next(torn.left for torn in local.loose.torn if torn.key == key)


def note_consumed(turn: Turn, record: WaitRecord) -> None:
    """Remember an event that a wait has taken (F-EV-6)."""
    is_event = isinstance(record.outcome, Returned)
    is_asked = Fault.EVENT_AGAIN in turn.identity.asked
    if is_asked and is_event and not turn.profile.consumed_events_stay:
        assert record.outcome is not None
        loose = turn.instance.loose
        event = BufferedEvent(record.type, record.outcome.value)
        loose = replace(loose, consumed=(*loose.consumed, event))
        turn.instance = replace(turn.instance, loose=loose)


def restore_consumed(turn: Turn) -> None:
    """Put the consumed events before those that no lifetime has seen (F-EV-6, as R-EV-10)."""
    unseen = []
    for key, record in turn.waits.items():
        if isinstance(record.outcome, Returned) and not record.is_seen:
            unseen.append(BufferedEvent(record.type, record.outcome.value))
            turn.waits[key] = replace(record, outcome=None)
    turn.events[:0] = [*turn.instance.loose.consumed, *unseen]
    loose = replace(turn.instance.loose, consumed=())
    turn.instance = replace(turn.instance, loose=loose)


def note_logged(turn: Turn, outcome: Outcome) -> None:
    """Remember the first success of `run` that was logged (F-RUN-8)."""
    turn.log.ended(Status.COMPLETE, outcome)
    loose = turn.instance.loose
    if loose.logged is None:
        turn.instance = replace(turn.instance, loose=replace(loose, logged=outcome))


def abort_only(turn: Turn) -> None:
    """The first half of a `restart`: the engine is aborted, and nobody starts another (F-LC-8)."""
    instance = turn.instance
    if instance.status.is_terminal or instance.status is Status.PAUSED:
        return
    turn.drop_lifetime()
    forget_events(turn)
    turn.out += broken(turn.instance, turn.identity)
    turn.instance = replace(turn.instance, back_ms=None, is_dormant=True, listeners=())


def earlier(local: Instance) -> Instance:
    """The instance as `status()` shows it when it is stale (F-LC-11)."""
    before = local.loose.status_before
    if before is None:
        return local
    is_kept = before is local.status
    return replace(local, status=before, result=local.result if is_kept else None)


def with_status_before(
    before: Instance | None, after: Instance | None, asked: tuple[Fault, ...]
) -> Instance | None:
    """The instance after a transition, with the status that it had before the last change, if
    somebody may be shown it (F-LC-11)."""
    if before is None or after is None or before.status is after.status:
        return after
    if Fault.STATUS_STALE not in asked:
        return after
    return replace(after, loose=replace(after.loose, status_before=before.status))
