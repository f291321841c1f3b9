"""Sleeps, event waits and events (sections 2.7 and 2.8)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Effect, Read, Returned, Threw
from eutaxy._base.duration import parse_duration
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Plain, Value, encode
from eutaxy._base.value_parts import compose, part
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.identity import is_instance_id
from eutaxy._platform.workflows.state import (
    BufferedEvent,
    Key,
    Kind,
    SleepRecord,
    Waiter,
    WaitRecord,
)
from eutaxy._platform.workflows.steps import UNDEFINED_TREE, diagnose_duration, is_name, mapping
from eutaxy._platform.workflows.turn import Turn

DEFAULT_WAIT = "24 hours"
SLEEP_MS_MAX = 365 * 86_400_000


def issue_sleep(turn: Turn, owner: str, effect: Effect) -> None:
    """Handle `sleep` and `sleepUntil` (R-SL)."""
    asked: int | Threw | None = None
    name = effect.name
    if turn.profile.sleep_key_has_duration:
        asked = _sleep_ms(turn, effect)
        name = f"{name}{asked if isinstance(asked, int) else ''}"
    if isinstance(asked, Threw):
        turn.settle(owner, effect.ordinal, asked)
        return
    key = Key(name, turn.count(Kind.SLEEP, name), Kind.SLEEP)
    record = turn.sleeps.get(key)
    if record is None:
        asked = _sleep_ms(turn, effect) if asked is None else asked
        if isinstance(asked, Threw):
            turn.settle(owner, effect.ordinal, asked)
            return
        record = SleepRecord(key, max(0, asked))
        if not turn.is_replay_pass:
            turn.sleeps[key] = record
            if Read.ORDER in turn.reads():
                turn.started.append(key)
            turn.note(RecordKind.NOTE, f"{effect.operation} {key}", args=effect.args)
    waiter = Waiter(key, owner, effect.ordinal)
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
        return errors.plain(f"Invalid time of sleepUntil {effect.name!r}")
    turn.identity.code.require(turn.identity.class_name, Read.CLOCK)
    left = int(until) - turn.identity.epoch_ms - turn.now_ms
    if left < 0:
        return errors.plain("You can't sleep until a time in the past, the time is in the past")
    return left


def _duration_ms(turn: Turn, effect: Effect, written: Plain) -> int | Threw:
    what = f"duration of sleep {effect.name!r}"
    if written == UNDEFINED_TREE:
        return errors.plain(f"Missing {what}", "TypeError")
    if isinstance(written, bool) or not isinstance(written, int | float | str):
        return errors.plain(f"Invalid {what}")
    diagnose_duration(turn, written, what, effect.place)
    ms = parse_duration(written).ms
    if ms is None or (ms > SLEEP_MS_MAX and turn.profile.names_are_checked):
        return errors.plain(f"Invalid {what}")
    return ms


def end_sleep(turn: Turn, key: Key) -> None:
    """A sleep in progress is over (R-SL-1)."""
    sleeper = next(each for each in turn.sleepers if each.key == key)
    turn.sleepers.remove(sleeper)
    _finish_sleep(turn, sleeper)


def _finish_sleep(turn: Turn, sleeper: Waiter) -> None:
    turn.sleeps[sleeper.key] = SleepRecord(sleeper.key, None)
    turn.note(RecordKind.NOTE, f"sleep {sleeper.key} over")
    turn.can_crash_before = True
    turn.settle(sleeper.owner, sleeper.ordinal, Returned(UNDEFINED))


def issue_wait(turn: Turn, owner: str, effect: Effect) -> None:
    """Handle `waitForEvent` (R-EV-4): take a stored outcome or a buffered event, or wait."""
    key = Key(effect.name, turn.count(Kind.WAIT, effect.name), Kind.WAIT)
    waiter = Waiter(key, owner, effect.ordinal)
    record = turn.waits.get(key)
    if record is None and turn.is_replay_pass:
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))
        return
    if record is None:
        made = _new_wait(turn, key, effect)
        if isinstance(made, Threw):
            turn.settle(owner, effect.ordinal, made)
            return
        record = made
        if Read.ORDER in turn.reads():
            turn.started.append(key)
        turn.note(RecordKind.NOTE, f"waitForEvent {key}", args=effect.args)
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


def _new_wait(turn: Turn, key: Key, effect: Effect) -> WaitRecord | Threw:
    options = mapping(effect.args).get("options", UNDEFINED_TREE)
    if not isinstance(options, dict) or options == UNDEFINED_TREE:
        return errors.plain("waitForEvent needs options", "TypeError")
    kind = options.get("type", UNDEFINED_TREE)
    if turn.profile.names_are_checked:
        if not is_name(effect.name):
            return errors.fatal("Wait name is too long or has invalid characters")
        if not is_instance_id(kind):
            return errors.fatal(f"Invalid event type of waitForEvent {effect.name!r}")
    timeout = options.get("timeout", UNDEFINED_TREE)
    if timeout in (UNDEFINED_TREE, 0, "", None):
        timeout = DEFAULT_WAIT
    if isinstance(timeout, bool) or not isinstance(timeout, int | float | str):
        return errors.plain(f"Invalid timeout of waitForEvent {effect.name!r}")
    diagnose_duration(turn, timeout, f"timeout of waitForEvent {effect.name!r}", effect.place)
    ms = parse_duration(timeout).ms
    if ms is None:
        return errors.plain(f"Invalid timeout of waitForEvent {effect.name!r}")
    shown = kind if isinstance(kind, str) else str(encode(kind))
    return WaitRecord(key, shown, max(0, ms), max(0, ms))


def end_wait(turn: Turn, key: Key) -> None:
    """A wait has its event, or has run out of time (R-EV-4, R-EV-5)."""
    waiter = next(each for each in turn.waiters if each.key == key)
    turn.waiters.remove(waiter)
    record = turn.waits[key]
    outcome = record.outcome if record.outcome is not None else errors.timed_out(record.timeout_ms)
    is_event = isinstance(outcome, Returned)
    if is_event and not record.is_seen:
        turn.show_output(part(outcome.value, "payload") or UNDEFINED)
    if record.is_seen:
        text = f"{'event' if is_event else 'timeout'} {key} replayed"
    else:
        text = f"event {key} received" if is_event else f"waitForEvent {key} timed out"
    turn.waits[key] = replace(record, outcome=outcome, is_seen=True, left_ms=0, is_expired=False)
    turn.note(RecordKind.NOTE, text, answer=outcome.value)
    turn.can_crash_before = True
    turn.settle(waiter.owner, waiter.ordinal, outcome)


def receive_event(turn: Turn, kind: str, payload: Value) -> None:
    """Store an event: for the oldest wait of its type, else in the buffer (R-EV-1, R-EV-3)."""
    stamp = encode({"$": "date", "of": turn.identity.epoch_ms + turn.now_ms})
    value = compose([("payload", payload), ("timestamp", stamp), ("type", encode(kind))])
    for key, record in turn.waits.items():
        if record.type == kind and record.outcome is None and not record.is_expired:
            turn.waits[key] = replace(record, outcome=Returned(value))
            break
    else:
        turn.events.append(BufferedEvent(kind, value))
    if turn.instance.back_ms is not None:
        turn.instance = replace(turn.instance, back_ms=0)
