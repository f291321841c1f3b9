"""Names of steps, sleeps and waits that spell the same storage key in local engines (R-ID-4).

There a step is kept under its name and count, a sleep under its name with its duration appended
and a count, and a wait under its name with "-count" appended and that count. All share one
storage, so crafted names read each other's records (DIFF-16).
"""

from __future__ import annotations

from eutaxy._base.code import Outcome, Returned
from eutaxy._base.value import UNDEFINED
from eutaxy._base.value_parts import compose
from eutaxy._platform.workflows.state import Key, Kind
from eutaxy._platform.workflows.turn import Turn


def outcome_of_other(turn: Turn, step: Key) -> Outcome | None:
    """What a step finds that a sleep or a wait has stored; None when it finds nothing.

    Values are read as boxes, and what a sleep or a wait stores is no box: it reads as undefined.
    """
    if not turn.profile.kinds_share_keys:
        return None
    for sleep in turn.sleeps:
        if (f"{sleep.name}{sleep.duration}", sleep.count) == (step.name, step.count):
            return Returned(UNDEFINED)
    for wait, record in turn.waits.items():
        if (f"{wait.name}-{wait.count}", wait.count) == (step.name, step.count):
            is_event = isinstance(record.outcome, Returned)
            return Returned(UNDEFINED) if is_event else record.outcome
    return None


def is_passed_by_step(turn: Turn, sleep: Key) -> bool:
    """Whether a sleep returns at once, since a step has stored a value under its key."""
    if not turn.profile.kinds_share_keys:
        return False
    record = turn.steps.get(Key(f"{sleep.name}{sleep.duration}", sleep.count))
    return record is not None and isinstance(record.outcome, Returned)


def outcome_of_step(turn: Turn, wait: Key) -> Outcome | None:
    """What a wait finds that a step has stored: the box of its value, or its error."""
    if not turn.profile.kinds_share_keys:
        return None
    record = turn.steps.get(Key(f"{wait.name}-{wait.count}", wait.count, Kind.DO))
    if record is None or record.outcome is None:
        return None
    if isinstance(record.outcome, Returned):
        return Returned(compose([("value", record.outcome.value)]))
    return record.outcome
