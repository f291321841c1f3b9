"""What must hold in every step of every run, whatever faults strike (section 4.3).

Each check looks at one step of the model: an instance before and after it. A record may only go when
everything goes: at the end of the instance, or by `restart` or `delete`; `restart` is seen by the
instance being queued with nothing, or less, than it had.
"""

from __future__ import annotations

from collections.abc import Iterator

from eutaxy._base.fault import Fault
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._platform.workflows.state import Instance, Status, WaitRecord
from eutaxy._world.component import Address
from eutaxy._world.system import System
from eutaxy._world.world import CLOCK_SLOT, Explained, Option, World

_UNDOING = (Fault.CRASH_SLEEP_NOTED, Fault.CRASH_WAIT_NOTED)


def check_step(system: System, before: World, option: Option, explained: Explained) -> None:
    """See that a step of the model keeps all promises.

    Raises:
        AssertionError: It broke one; the message says which, and shows both states.
    """
    was = _instances(system, before)
    now = _instances(system, explained.world)
    for address, old in was.items():
        new = now.get(address)
        notes = [
            note
            for note in explained.notes
            if isinstance(note, Note) and note.activation == ":".join(address)
        ]
        if new is not None and old is not new:
            ms = option.message if option.slot == CLOCK_SLOT else 0
            for broken in broken_promises(old, new, notes, passed_ms=ms):
                raise AssertionError(f"{broken}\n{system.describe(option)}\n{old}\n{new}")
    for address, new in now.items():
        for broken in _broken_inside(new):
            raise AssertionError(f"{broken} in {address}\n{system.describe(option)}\n{new}")


def broken_promises(
    old: Instance, new: Instance, notes: list[Note], *, passed_ms: int = 0
) -> Iterator[str]:
    """Name the promises of 4.3 that this change of an instance breaks.

    A crash between two writes undoes the rest of the last transition, and so breaks promises by
    design (F-SL-1, F-EV-13).
    """
    if any(note.fault in _UNDOING for note in notes):
        return
    yield from _broken_steps(old, new)
    yield from _broken_sleeps(old, new, passed_ms)
    is_again = any(note.fault is Fault.EVENT_AGAIN for note in notes)
    yield from _broken_waits(old, new, is_again=is_again)
    if old.status.is_terminal and new.status not in (old.status, Status.QUEUED):
        yield f"7: it had ended {old.status} and is {new.status}"
    kinds = {note.kind for note in notes}
    starts = sum(note.kind is RecordKind.START for note in notes)
    if starts > 1 or (starts == 1 and old.live is not None):
        yield "8: a lifetime began while one was up"
    reasons = {RecordKind.FAULT, RecordKind.SUSPENDED, RecordKind.END}
    if old.live is not None and new.live is None and not old.status.is_terminal:
        is_called = new.status in (Status.QUEUED, Status.PAUSED, Status.TERMINATED)
        is_called = is_called or new.is_dormant
        if not is_called and not kinds & reasons:
            yield "8: a lifetime ended for no reason"


def _broken_inside(instance: Instance) -> Iterator[str]:
    if instance.live is None:
        return
    steps = {record.key: record for record in instance.steps}
    for run in instance.live.runs:
        if steps[run.key].outcome is not None:
            yield f"2: {run.key} runs although its outcome is stored"


def _broken_steps(old: Instance, new: Instance) -> Iterator[str]:
    after = {record.key: record for record in new.steps}
    for record in old.steps:
        later = after.get(record.key)
        if later is None:
            if record.outcome is not None and not _may_forget(new):
                yield f"1: the outcome of {record.key} is gone"
            continue
        if record.outcome is not None and later.outcome != record.outcome:
            yield f"1, 4: the outcome of {record.key} has changed"
        is_counted_on = later.attempts in (record.attempts, record.attempts + 1)
        if not is_counted_on and later.outcome is None and not _may_forget(new):
            yield f"3: attempts of {record.key} went from {record.attempts} to {later.attempts}"


def _broken_sleeps(old: Instance, new: Instance, passed_ms: int) -> Iterator[str]:
    after = {record.key: record for record in new.sleeps}
    for record in old.sleeps:
        later = after.get(record.key)
        if later is None:
            if not _may_forget(new):
                yield f"5: the sleep {record.key} is gone"
            continue
        if record.left_ms is None:
            if later.left_ms is not None:
                yield f"5: the sleep {record.key} was over and is not"
        elif later.left_ms is None:
            if record.left_ms and not _may_forget(new):
                yield f"5: the sleep {record.key} ended {record.left_ms} ms early"
        elif later.left_ms < record.left_ms - passed_ms:
            yield f"5: the sleep {record.key} became shorter"


def _broken_waits(old: Instance, new: Instance, *, is_again: bool) -> Iterator[str]:
    after = {record.key: record for record in new.waits}
    for record in old.waits:
        later = after.get(record.key)
        if later is None:
            if record.outcome is not None and not _may_forget(new):
                yield f"6: the outcome of {record.key} is gone"
        elif record.outcome is not None and later.outcome != record.outcome:
            is_back = not record.is_seen and later.outcome is None and _is_queued(record, new)
            # What no lifetime has seen gives way to what is handed over again (F-EV-6).
            is_displaced = not record.is_seen and is_again
            if not is_back and not is_displaced:
                yield f"6: the outcome of {record.key} has changed"


def _is_queued(record: WaitRecord, new: Instance) -> bool:
    """Whether a local engine that died before handing the event over still has it (F-EV-4)."""
    assert record.outcome is not None
    return any(slot.value == record.outcome.value for slot in new.slots)


def _may_forget(new: Instance) -> bool:
    return new.status.is_terminal or new.status is Status.QUEUED


def _instances(system: System, world: World) -> dict[Address, Instance]:
    return {
        address: local for address, local in system.locals_of(world) if isinstance(local, Instance)
    }
