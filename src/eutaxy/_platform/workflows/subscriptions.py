"""Subscriptions to an instance: its log again, then what happens, until the end (R-SUB-1)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Outcome, Read, Returned
from eutaxy._base.value import UNDEFINED, Plain, Value, decode, encode
from eutaxy._base.value_json import UNDEFINED_TREE
from eutaxy._base.value_parts import compose, part
from eutaxy._platform.call import LOST, Answered, Fate, Out, Perform
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.listener import Listener
from eutaxy._platform.workflows.log import LAST_TYPES, TYPES
from eutaxy._platform.workflows.state import Instance, LogEntry

_TRUE, _FALSE = (encode(each) for each in (True, False))
NEXT = "next"
"""The operation by which a subscription asks for one event."""

_AWAITED = (Fate.NORMAL, Fate.ANSWER_LATE)
"""Fates of a call whose caller is still there to hear an answer."""

_DONE = compose([("done", _TRUE), ("value", UNDEFINED)])


def subscribe(local: Instance, perform: Perform, identity: Identity) -> Outcome:
    """Begin a subscription: from now on the log is kept.

    Raises:
        NewRead: It was not kept so far.
    """
    identity.code.require(identity.class_name, Read.LOG)
    # Each event says when it happened.
    identity.code.require(identity.class_name, Read.CLOCK)
    if not _is_options(decode(part(perform.effect.args, "options") or UNDEFINED)):
        return errors.plain("Invalid Workflow subscription options")
    return Returned(UNDEFINED)


def next_event(
    local: Instance, perform: Perform, identity: Identity
) -> tuple[Instance, Outcome | None]:
    """Answer a subscription with the event after its cursor, or remember that it waits for one."""
    options = decode(part(perform.effect.args, "options") or UNDEFINED)
    assert isinstance(options, dict)
    cursor, kinds = options.get("cursor"), options.get("filter")
    listener = Listener(
        perform.back,
        cursor=int(cursor) if isinstance(cursor, int | float) else -1,
        filter=tuple(str(each) for each in kinds) if isinstance(kinds, list) else None,
    )
    answer = _answer(local, listener, identity)
    if answer is not None:
        return local, Returned(answer)
    if perform.back.fate not in _AWAITED:
        return local, Returned(UNDEFINED)
    # A delivery that has died may have left a listener of the same place.
    place = (perform.back.owner, perform.back.fiber, perform.back.ordinal)
    others = tuple(
        each
        for each in local.listeners
        if (each.back.owner, each.back.fiber, each.back.ordinal) != place
    )
    return replace(local, listeners=(*others, listener)), None


def told(local: Instance, identity: Identity) -> tuple[Instance, tuple[Out, ...]]:
    """Answer those that wait for what has happened by now."""
    waiting: list[Listener] = []
    out: list[Out] = []
    for listener in local.listeners:
        answer = _answer(local, listener, identity)
        if answer is None:
            waiting.append(listener)
        else:
            out.append(_reply(listener, Returned(answer), identity))
    return replace(local, listeners=tuple(waiting)) if out else local, tuple(out)


def broken(local: Instance, identity: Identity) -> tuple[Out, ...]:
    """The engine is gone, and with it all subscriptions: those that wait hear of a failure."""
    return tuple(_reply(each, LOST, identity) for each in local.listeners)


def _reply(listener: Listener, outcome: Outcome, identity: Identity) -> Out:
    shown = f"Workflow:{identity.binding} {NEXT}"
    answered = Answered(listener.back, outcome, shown, deferred_by=identity.address)
    return (listener.back.owner, answered)


def _answer(local: Instance, listener: Listener, identity: Identity) -> Value | None:
    """The next event as `next` tells it; None while there is none."""
    for entry in local.log:
        if entry.number <= listener.cursor:
            continue
        if listener.filter is None or entry.type in listener.filter:
            return compose([("done", _FALSE), ("value", _event(entry, identity))])
        if entry.type in LAST_TYPES:
            return _DONE
    is_over = any(each.type in LAST_TYPES for each in local.log if each.number <= listener.cursor)
    return _DONE if is_over else None


def _event(entry: LogEntry, identity: Identity) -> Value:
    name = entry.key
    return compose(
        [
            ("instanceId", encode(identity.instance_id)),
            ("eventId", encode(entry.number)),
            ("timestamp", encode(identity.epoch_ms + entry.at_ms)),
            ("type", encode(entry.type)),
            *([] if name is None else [("stepName", encode(f"{name.name}-{name.count}"))]),
            *entry.members,
        ]
    )


def _is_options(options: Plain) -> bool:
    if options == UNDEFINED_TREE:
        return True
    if not isinstance(options, dict) or not set(options) <= {"cursor", "filter"}:
        return False
    cursor = options.get("cursor", UNDEFINED_TREE)
    kinds = options.get("filter", UNDEFINED_TREE)
    return _is_cursor(cursor) and _is_filter(kinds)


def _is_cursor(cursor: Plain) -> bool:
    if cursor == UNDEFINED_TREE:
        return True
    if isinstance(cursor, bool) or not isinstance(cursor, int | float):
        return False
    return cursor >= 0 and float(cursor).is_integer()


def _is_filter(kinds: Plain) -> bool:
    if kinds == UNDEFINED_TREE:
        return True
    return isinstance(kinds, list) and all(each in TYPES for each in kinds)
