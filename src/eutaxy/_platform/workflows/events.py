"""Events: how they arrive, and the queue that local engines never clean (section 2.8).

Theory: a local engine keeps two queues. The one in memory is exact. The durable one has a place
for each index of a type, is written from memory whenever an event arrives, and never loses an
entry. A new lifetime appends the durable queue, in the order of the text of its keys, to what
memory holds: consumed events come again, events that arrived while the engine was down overwrite
older ones, and index 10 comes before index 2 (R-EV-10, DIFF-07).
"""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Returned
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._base.value_parts import compose
from eutaxy._platform.workflows.state import BODY, BufferedEvent, EventSlot, Status, WaitRecord
from eutaxy._platform.workflows.turn import Turn


def event_type(tree: Plain) -> str:
    """The name of an event's type; local engines take anything for one (DIFF-12)."""
    return tree if isinstance(tree, str) else f"${encode(tree)}"


def receive_event(turn: Turn, kind: Value, payload: Value) -> None:
    """Store an event: for the oldest wait of its type, else in the buffer (R-EV-1, R-EV-3)."""
    stamp = encode({"$": "date", "of": turn.identity.epoch_ms + turn.now_ms})
    value = compose([("payload", payload), ("timestamp", stamp), ("type", kind)])
    event = BufferedEvent(event_type(decode(kind)), value)
    if turn.profile.consumed_events_stay:
        _receive_locally(turn, event)
    else:
        record = next((each for each in turn.waits.values() if _takes(each, event)), None)
        if record is None:
            turn.events.append(event)
            _wake(turn)
        else:
            turn.waits[record.key] = replace(record, outcome=Returned(value))
    is_queued = turn.instance.status is Status.QUEUED
    if (turn.instance.back_ms is not None and not is_queued) or turn.instance.is_dormant:
        turn.instance = replace(turn.instance, back_ms=0)


def _wake(turn: Turn) -> None:
    """An engine that is suspended starts on demand, also for an event that nobody waits for (4.1).

    One that a wait takes is due because of that wait.
    """
    instance = turn.instance
    is_suspended = not turn.is_live and instance.back_ms is None
    if is_suspended and instance.status in (Status.WAITING, Status.RUNNING):
        turn.instance = replace(instance, back_ms=0)


def _receive_locally(turn: Turn, event: BufferedEvent) -> None:
    turn.events.append(event)
    queues: dict[str, int] = {}
    for each in turn.events:
        index = queues.get(each.type, 0)
        queues[each.type] = index + 1
        turn.slots[each.type, index] = EventSlot(each.type, index, each.value)
    if BODY not in turn.fibers:
        return
    waiting = [turn.waits[waiter.key] for waiter in turn.waiters]
    record = next((each for each in waiting if _takes(each, event)), None)
    if record is not None:
        # The wait gets what has just arrived, and the queue loses its head.
        turn.waits[record.key] = replace(record, outcome=Returned(event.value))
        turn.events.remove(next(each for each in turn.events if each.type == event.type))


def _takes(record: WaitRecord, event: BufferedEvent) -> bool:
    return record.type == event.type and record.outcome is None and not record.is_expired


def restore_events(turn: Turn) -> None:
    """A new lifetime finds the durable queue (R-EV-10)."""
    places = sorted(turn.slots, key=lambda place: (place[0], str(place[1])))
    turn.events += [BufferedEvent(place[0], turn.slots[place].value) for place in places]


def forget_events(turn: Turn) -> None:
    """The process that held the queue in memory is gone, with what it was about to hand over."""
    if not turn.profile.consumed_events_stay:
        return
    turn.events.clear()
    for key, record in turn.waits.items():
        if isinstance(record.outcome, Returned) and not record.is_seen:
            turn.waits[key] = replace(record, outcome=None)
