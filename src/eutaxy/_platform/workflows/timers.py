"""Timers of a Workflow instance: what is left of each, and what passing time does to them."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._platform.fiber import fiber_tick, fiber_timer
from eutaxy._platform.workflows.state import Instance, Live, RunPhase, Status, without_torn


def instance_timer(local: Instance) -> int | None:
    """The nearest of all timers of an instance; 0 when an event is waiting to be taken."""
    live = local.live
    if local.status is Status.PAUSED or local.status.is_terminal:
        return live_timer(local, live) if live is not None else None
    if local.back_ms is not None:
        return local.back_ms
    if local.is_dormant:
        return None
    slept = None if live is None else {sleeper.key for sleeper in live.sleepers}
    left = [
        record.left_ms
        for record in local.sleeps
        if record.left_ms is not None and (slept is None or record.key in slept)
    ]
    waited = None if live is None else {waiter.key for waiter in live.waiters}
    for record in local.waits:
        if waited is not None and record.key not in waited:
            continue
        if record.outcome is not None and (waited is not None or not record.is_seen):
            left.append(0)
        elif record.outcome is None:
            left.append(0 if record.is_expired else record.left_ms)
    if live is None:
        left += [step.retry_ms for step in local.steps if step.retry_ms is not None]
    else:
        timer = live_timer(local, live)
        if timer is not None:
            left.append(timer)
    return min(left) if left else None


def is_due(local: Instance) -> bool:
    """Whether a suspended instance has a reason to start."""
    return not local.status.is_terminal and instance_timer(local) == 0


def instance_tick(local: Instance, ms: int, *, has_clock: bool) -> Instance:
    """The instance `ms` later; deadlines that pass while the engine is down are remembered."""
    local = without_torn(local)
    now = local.now_ms + ms if has_clock else 0
    live = local.live
    if live is not None:
        live = replace(
            live,
            fibers=tuple((key, fiber_tick(fiber, ms)) for key, fiber in live.fibers),
            runs=tuple(
                replace(run, left_ms=max(0, run.left_ms - ms))
                if run.phase in (RunPhase.RUNNING, RunPhase.DELAY)
                else run
                for run in live.runs
            ),
        )
    if local.status is Status.PAUSED:
        # A pause moves every deadline by its own length (R-LC-4).
        return replace(local, now_ms=now, live=live)
    return replace(
        local,
        now_ms=now,
        live=live,
        back_ms=None if local.back_ms is None else max(0, local.back_ms - ms),
        kept_ms=None if local.kept_ms is None else max(0, local.kept_ms - ms),
        steps=tuple(
            replace(each, retry_ms=max(0, each.retry_ms - ms)) if each.retry_ms else each
            for each in local.steps
        ),
        sleeps=tuple(
            replace(each, left_ms=max(0, each.left_ms - ms)) if each.left_ms else each
            for each in local.sleeps
        ),
        waits=tuple(
            each
            if each.outcome is not None
            else replace(
                each,
                left_ms=max(0, each.left_ms - ms),
                is_expired=each.is_expired or each.left_ms < ms,
            )
            for each in local.waits
        ),
    )


def live_timer(local: Instance, live: Live) -> int | None:
    """When the fibers and steps of a lifetime next want something."""
    timers = [fiber_timer(fiber) for _, fiber in live.fibers]
    left = [timer for timer in timers if timer is not None]
    steps = {record.key: record for record in local.steps}
    for run in live.runs:
        retry = steps[run.key].retry_ms
        if run.phase is RunPhase.RETRY and retry is not None:
            left.append(retry)
        elif run.is_attempting:
            left.append(run.left_ms)
    return min(left) if left else None
