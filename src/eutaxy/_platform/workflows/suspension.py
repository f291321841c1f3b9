"""Suspension: ending a lifetime that only waits, for long (R-HIB-1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.state import BODY, RunPhase

if TYPE_CHECKING:
    from eutaxy._platform.workflows.turn import Turn


def forget_spent_timers(turn: Turn) -> None:
    """Let timers that are over, and that this lifetime did not come by, start no other one."""
    slept = {sleeper.key for sleeper in turn.sleepers}
    for key, sleep in turn.sleeps.items():
        if sleep.left_ms == 0 and key not in slept:
            turn.sleeps[key] = replace(sleep, left_ms=None)
    waited = {waiter.key for waiter in turn.waiters}
    for key, wait in turn.waits.items():
        if wait.is_seen or key in waited:
            continue
        if wait.outcome is not None:
            turn.waits[key] = replace(wait, is_seen=True)
        elif wait.is_expired or wait.left_ms == 0:
            outcome = errors.timed_out(wait.timeout_ms)
            turn.waits[key] = replace(wait, outcome=outcome, is_seen=True)
    for key, step in turn.steps.items():
        if step.retry_ms == 0 and key not in turn.runs:
            turn.steps[key] = replace(step, retry_ms=None)


def is_suspendable(turn: Turn) -> bool:
    """Whether nothing but waits of `hibernate_after` or longer is left (R-HIB-1)."""
    limit = turn.profile.hibernate_after_ms
    if limit is None or turn.fibers.keys() != {BODY} or turn.rollback is not None:
        return False
    body = turn.fibers[BODY]
    if body.outcome is not None or body.pending:
        return False
    left: list[int] = []
    for run in turn.runs.values():
        retry = turn.steps[run.key].retry_ms
        if run.phase is not RunPhase.RETRY or retry is None:
            return False
        left.append(retry)
    left += [turn.sleeps[sleeper.key].left_ms or 0 for sleeper in turn.sleepers]
    for waiter in turn.waiters:
        record = turn.waits[waiter.key]
        if record.outcome is not None:
            return False
        left.append(record.left_ms)
    return bool(left) and min(left) >= limit
