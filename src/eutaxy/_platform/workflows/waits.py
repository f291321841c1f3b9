"""Sleeps, event waits and events (sections 2.7 and 2.8)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Effect, Read, Returned, Threw
from eutaxy._base.duration import parse_duration
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Plain, encode
from eutaxy._base.value_json import UNDEFINED_TREE, circle_in
from eutaxy._base.value_parts import part
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.collisions import is_passed_by_step, outcome_of_step
from eutaxy._platform.workflows.events import event_type
from eutaxy._platform.workflows.identity import is_instance_id
from eutaxy._platform.workflows.optional import note_consumed, tear
from eutaxy._platform.workflows.refusals import is_name
from eutaxy._platform.workflows.state import (
    Key,
    Kind,
    SleepRecord,
    Waiter,
    WaitRecord,
)
from eutaxy._platform.workflows.steps import diagnose_duration, mapping
from eutaxy._platform.workflows.turn import Turn

DEFAULT_WAIT = "24 hours"
SLEEP_MS_MAX = 365 * 86_400_000
NOT_STORED = (
    "NOT NULL constraint failed: priority_queue.target_timestamp: SQLITE_CONSTRAINT "
    "(extended: SQLITE_CONSTRAINT_NOTNULL)"
)
"""What local engines say of a timer without a time."""


def issue_sleep(turn: Turn, owner: str, effect: Effect) -> None:
    """Handle `sleep` and `sleepUntil` (R-SL)."""
    asked: int | Threw | None = None
    duration = ""
    if turn.profile.sleep_key_has_duration and not turn.is_replay_pass:
        asked = _sleep_ms(turn, effect)
        duration = str(asked)
    if isinstance(asked, Threw):
        turn.settle(owner, effect.ordinal, asked)
        return
    key = Key(effect.name, turn.count(Kind.SLEEP, f"{effect.name}{duration}"), Kind.SLEEP, duration)
    record = turn.sleeps.get(key)
    if record is None and is_passed_by_step(turn, key):
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))
        return
    if record is None:
        asked = _sleep_ms(turn, effect) if asked is None else asked
        if isinstance(asked, Threw):
            turn.settle(owner, effect.ordinal, asked)
            return
        record = SleepRecord(key, max(0, asked))
        if not turn.is_replay_pass:
            turn.sleeps[key] = record
            if record.left_ms:
                tear(turn, key)
            if Read.ORDER in turn.reads():
                turn.started.append(key)
            turn.note(RecordKind.NOTE, f"{effect.operation} {key}", args=effect.args)
            turn.log.write("sleep_started", key, durationMs=encode(asked))
    waiter = Waiter(key, owner, effect.ordinal, effect.place)
    if turn.is_replay_pass:
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))
    elif record.left_ms is None:
        turn.note(RecordKind.NOTE, f"sleep {key} replayed")
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))
    elif record.left_ms == 0:
        _finish_sleep(turn, waiter)
    else:
        turn.sleepers.append(waiter)


def _sleep_ms(turn: Turn, effect: Effect) -> int | Threw:
    args = mapping(effect.args)
    if turn.profile.names_are_checked and not is_name(effect.name):
        return errors.fatal("Sleep name is too long or has invalid characters")
    if effect.operation == "sleep":
        return _duration_ms(turn, effect, args.get("duration", UNDEFINED_TREE))
    until = args.get("until", UNDEFINED_TREE)
    if isinstance(until, dict) and until.get("$") == "date":
        until = until.get("of")
    if isinstance(until, bool) or not isinstance(until, int | float):
        return _invalid(turn, f"time of sleepUntil {effect.name!r}")
    turn.identity.code.require(turn.identity.class_name, Read.CLOCK)
    left = int(until) - turn.identity.epoch_ms - turn.now_ms
    if left < 0:
        return errors.plain("You can't sleep until a time in the past, time-traveler")
    return left


def _duration_ms(turn: Turn, effect: Effect, written: Plain) -> int | Threw:
    what = f"duration of sleep {effect.name!r}"
    if written is None or written == UNDEFINED_TREE:
        shown = "null" if written is None else "undefined"
        message = f"Cannot read properties of {shown} (reading 'toString')"
        return errors.plain(message, "TypeError")
    if isinstance(written, bool) or not isinstance(written, int | float | str):
        return _invalid(turn, what)
    diagnose_duration(turn, written, what, effect.place)
    ms = parse_duration(written).ms
    if ms is None or (ms > SLEEP_MS_MAX and turn.profile.names_are_checked):
        return _invalid(turn, what)
    return ms


def _invalid(turn: Turn, what: str) -> Threw:
    """A duration that is none; local engines notice when they store the timer (1.5)."""
    return errors.plain(f"Invalid {what}" if turn.profile.names_are_checked else NOT_STORED)


def end_sleep(turn: Turn, key: Key) -> None:
    """A sleep in progress is over (R-SL-1)."""
    sleeper = next(each for each in turn.sleepers if each.key == key)
    turn.sleepers.remove(sleeper)
    _finish_sleep(turn, sleeper)


def _finish_sleep(turn: Turn, sleeper: Waiter) -> None:
    if turn.is_stopped:
        # The pause is noticed at the end of the sleep, which is not logged as over.
        turn.settle(sleeper.owner, sleeper.ordinal, errors.paused(), sleeper.place)
        return
    turn.sleeps[sleeper.key] = SleepRecord(sleeper.key, None)
    turn.note(RecordKind.NOTE, f"sleep {sleeper.key} over")
    turn.log.write("sleep_completed", sleeper.key)
    turn.can_crash_before = True
    turn.settle(sleeper.owner, sleeper.ordinal, Returned(UNDEFINED))


def issue_wait(turn: Turn, owner: str, effect: Effect) -> None:
    """Handle `waitForEvent` (R-EV-4): take a stored outcome or a buffered event, or wait."""
    refusal = _wait_refusal(turn, effect)
    if refusal is not None:
        turn.settle(owner, effect.ordinal, refusal, effect.place)
        return
    key = Key(effect.name, turn.count(Kind.WAIT, effect.name), Kind.WAIT)
    waiter = Waiter(key, owner, effect.ordinal, effect.place)
    record = turn.waits.get(key)
    if record is None and turn.is_replay_pass:
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))
        return
    is_new = record is None
    if record is None:
        stored = outcome_of_step(turn, key)
        if stored is not None:
            turn.settle(owner, effect.ordinal, stored)
            return
        record = _new_wait(turn, key, effect)
        if Read.ORDER in turn.reads():
            turn.started.append(key)
        turn.note(RecordKind.NOTE, f"waitForEvent {key}", args=effect.args)
        tear(turn, key)
        turn.log.write("wait_started", key, eventType=encode(record.type))
    is_open = is_new or not (turn.is_replay_pass or record.is_expired or record.left_ms == 0)
    if record.outcome is None and is_open:
        buffered = next((e for e in turn.events if e.type == record.type), None)
        if buffered is not None:
            turn.events.remove(buffered)
            record = replace(record, outcome=Returned(buffered.value))
    turn.waits[key] = record
    turn.waiters.append(waiter)
    if record.outcome is not None or record.is_expired or record.left_ms == 0:
        end_wait(turn, key)
    elif turn.is_replay_pass:
        turn.waiters.remove(waiter)
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))


def _wait_refusal(turn: Turn, effect: Effect) -> Threw | None:
    """Why a wait is refused before it is counted; nothing of it is stored."""
    if turn.rollback is not None:
        return errors.fatal("Cannot execute steps during rollback phase")
    options = mapping(effect.args).get("options", UNDEFINED_TREE)
    if not isinstance(options, dict) or options == UNDEFINED_TREE:
        shown = "null" if options is None else "undefined"
        return errors.plain(f"Cannot read properties of {shown} (reading 'timeout')", "TypeError")
    if not turn.profile.names_are_checked:
        return None
    if not is_name(effect.name):
        return errors.fatal("Wait name is too long or has invalid characters")
    if not is_instance_id(options.get("type", UNDEFINED_TREE)):
        return errors.fatal(f"Invalid event type of waitForEvent {effect.name!r}")
    return None


def _new_wait(turn: Turn, key: Key, effect: Effect) -> WaitRecord:
    options = mapping(effect.args)["options"]
    assert isinstance(options, dict)
    timeout = options.get("timeout", UNDEFINED_TREE)
    if timeout in (UNDEFINED_TREE, 0, "", None):
        timeout = DEFAULT_WAIT
    diagnose_duration(turn, timeout, f"timeout of waitForEvent {effect.name!r}", effect.place)
    ms = parse_duration(timeout).ms if isinstance(timeout, int | float | str) else None
    type_name = event_type(options.get("type", UNDEFINED_TREE))
    if ms is None:
        refused = _invalid(turn, f"timeout of waitForEvent {effect.name!r}")
        return WaitRecord(key, type_name, 0, 0, outcome=refused)
    return WaitRecord(key, type_name, ms, max(0, ms))


def end_wait(turn: Turn, key: Key) -> None:
    """A wait has its event, or has run out of time (R-EV-4, R-EV-5)."""
    waiter = next(each for each in turn.waiters if each.key == key)
    turn.waiters.remove(waiter)
    record = turn.waits[key]
    outcome = record.outcome if record.outcome is not None else errors.timed_out(record.timeout_ms)
    is_event = isinstance(outcome, Returned)
    circle = circle_in(outcome.value) if turn.profile.status_is_local else None
    if circle is not None:
        # Local engines stumble over it when they log the event, which they then do not store.
        turn.waits[key] = replace(record, outcome=None)
        turn.settle(waiter.owner, waiter.ordinal, errors.plain(circle, "TypeError"))
        return
    if is_event and not record.is_seen:
        turn.show_output(key, part(outcome.value, "payload") or UNDEFINED)
    if not record.is_seen:
        turn.log.write("wait_completed" if is_event else "wait_timed_out", key)
        note_consumed(turn, record)
    if record.is_seen:
        text = f"{'event' if is_event else 'timeout'} {key} replayed"
    else:
        text = f"event {key} received" if is_event else f"waitForEvent {key} timed out"
    turn.waits[key] = replace(record, outcome=outcome, is_seen=True, left_ms=0, is_expired=False)
    turn.note(RecordKind.NOTE, text, answer=outcome.value)
    turn.can_crash_before = True
    turn.settle(waiter.owner, waiter.ordinal, outcome)
