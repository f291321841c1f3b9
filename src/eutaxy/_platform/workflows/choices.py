"""What may happen next to a Workflow instance: its choices, with their crash points.

Beginning an attempt (`step_start`), ending one (`step_result`) and storing how `run` ended
(`run_result`) are effects like calls: the activation may die around each. Dying before an effect
is offered only where it differs from dying after what happened last, and once for a lifetime.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from eutaxy._base.code import Returned, Threw
from eutaxy._base.fault import Fault
from eutaxy._platform.call import Fate, Router
from eutaxy._platform.fiber import Fiber, fiber_choices
from eutaxy._platform.workflows.optional_choices import kills, optional_choices
from eutaxy._platform.workflows.state import (
    BODY,
    Instance,
    Key,
    Live,
    RunPhase,
    Status,
    StepRecord,
    StepRun,
)
from eutaxy._platform.workflows.step_order import withheld_steps
from eutaxy._platform.workflows.timers import is_due
from eutaxy._world.component import Choice, Gate


@dataclass(frozen=True, slots=True)
class Start:
    """Choice: the engine starts and runs `run` from the top."""


@dataclass(frozen=True, slots=True)
class StartLate:
    """Choice: the engine is late for a timer that is due."""


@dataclass(frozen=True, slots=True)
class CrashIdle:
    """Choice: the lifetime dies while it only waits."""


@dataclass(frozen=True, slots=True)
class StartAttempt:
    """Choice: the next attempt of a step begins (`step_start`)."""

    key: Key
    fate: Fate = Fate.NORMAL


@dataclass(frozen=True, slots=True)
class StoreAttempt:
    """Choice: a callback has ended and its result is stored (`step_result`)."""

    key: Key
    fate: Fate = Fate.NORMAL


@dataclass(frozen=True, slots=True)
class StoreRun:
    """Choice: `run` has ended and the instance with it (`run_result`)."""

    fate: Fate = Fate.NORMAL


@dataclass(frozen=True, slots=True)
class Expire:
    """Choice: an attempt runs out of time."""

    key: Key


@dataclass(frozen=True, slots=True)
class WakeSleep:
    """Choice: a sleep is over."""

    key: Key


@dataclass(frozen=True, slots=True)
class WakeWait:
    """Choice: a wait gets its event, or has run out of time."""

    key: Key


def instance_choices(
    local: Instance,
    route: Router,
    asked: tuple[Fault, ...] = (),
    *,
    binding: str = "",
    one_by_one: bool = False,
) -> tuple[Choice, ...]:
    """What may happen next to an instance, what normally happens first.

    Args:
        local: The instance.
        route: Tells what may become of a call.
        asked: Optional faults that may strike.
        binding: Where faults of the engine strike: the instance's binding.
        one_by_one: Of steps that could go on at the same moment, offer only the first.

    Raises:
        StepsTangled: With `one_by_one`, when they cannot be taken one after another.
    """
    waiting = withheld_steps(local) if one_by_one else ()
    choices = _choices(local, route, asked, waiting)
    if asked:
        is_idle = local.live is not None and not is_instance_running(local)
        choices = (*choices, *optional_choices(local, asked, is_idle=is_idle))
    return tuple(
        replace(each, target=binding) if each.fault is not None and not each.target else each
        for each in choices
    )


def _choices(
    local: Instance, route: Router, asked: tuple[Fault, ...], waiting: tuple[Key, ...]
) -> tuple[Choice, ...]:
    if local.live is not None:
        choices = _live_choices(local, local.live, route, asked, waiting)
        if not local.status.is_terminal and not is_instance_running(local):
            choices.append(Choice(CrashIdle(), Fault.CRASH_IDLE, Gate.FREE))
        return tuple(choices)
    if local.back_ms is not None:
        gate = Gate.START if local.back_ms == 0 else Gate.OVERLAP
        return (Choice(Start(), gate=gate),)
    if is_due(local):
        late = Choice(StartLate(), Fault.TIMER_LATE, Gate.FREE)
        return (Choice(Start(), gate=Gate.START), *((late,) if _is_timer_due(local) else ()))
    return ()


def _live_choices(
    local: Instance,
    live: Live,
    route: Router,
    asked: tuple[Fault, ...],
    waiting: tuple[Key, ...],
) -> list[Choice]:
    choices: list[Choice] = []
    can_crash = not local.status.is_terminal
    can_crash_before = can_crash and live.can_crash_before
    fibers = dict(live.fibers)
    steps = {record.key: record for record in local.steps}
    body = fibers.get(BODY)
    if body is not None:
        if body.outcome is not None:
            if live.rollback is None and not _is_beginning(local, live):
                choices.append(Choice(StoreRun()))
                choices.append(Choice(StoreRun(Fate.CRASH_AFTER), Fate.CRASH_AFTER.fault))
                if Fault.CRASH_RUN_LOGGED in asked and isinstance(body.outcome, Returned):
                    logged = Fate.CRASH_RUN_LOGGED
                    choices.append(Choice(StoreRun(logged), logged.fault))
                can_crash_before = False
        else:
            choices += fiber_choices(
                BODY, body, route, can_crash=True, can_crash_before=can_crash_before
            )
            can_crash_before = can_crash_before and not body.is_busy
    for run in live.runs:
        if run.key in waiting:
            continue
        offered = _run_choices(
            run,
            fibers.get(run.fiber),
            steps[run.key],
            route,
            can_crash_before=can_crash_before,
            is_pausing=local.status is Status.WAITING_FOR_PAUSE,
        )
        if Fault.ATTEMPT_KILLED in asked and run.phase is RunPhase.RUNNING:
            offered += kills(run.fiber, fibers[run.fiber])
        can_crash_before = can_crash_before and not offered
        choices += offered
    watched = {BODY, *(run.fiber for run in live.runs if run.is_attempting)}
    for name, fiber in live.fibers:
        if name not in watched:
            choices += fiber_choices(
                name, fiber, route, can_crash=can_crash, can_crash_before=False
            )
    sleeps = {record.key: record for record in local.sleeps}
    for sleeper in live.sleepers:
        if not sleeps[sleeper.key].left_ms:
            choices.append(Choice(WakeSleep(sleeper.key), gate=Gate.START))
    waits = {record.key: record for record in local.waits}
    for waiter in live.waiters:
        record = waits[waiter.key]
        if record.outcome is not None or record.is_expired or record.left_ms == 0:
            choices.append(Choice(WakeWait(waiter.key), gate=Gate.START))
    return choices


def _is_beginning(local: Instance, live: Live) -> bool:
    """Whether a step was called and has not begun: it does so before `run` ends (R-RUN-1, K-22)."""
    is_pausing = local.status is Status.WAITING_FOR_PAUSE
    return not is_pausing and any(run.phase is RunPhase.START for run in live.runs)


def _run_choices(
    run: StepRun,
    fiber: Fiber | None,
    record: StepRecord,
    route: Router,
    *,
    can_crash_before: bool,
    is_pausing: bool,
) -> list[Choice]:
    if run.phase in (RunPhase.RUNNING, RunPhase.DELAY):
        assert fiber is not None
        if fiber.outcome is not None:
            choices = [Choice(StoreAttempt(run.key))]
            for fate in (Fate.CRASH_AFTER, Fate.STORE_FAILED):
                if fate is Fate.STORE_FAILED and isinstance(fiber.outcome, Threw):
                    continue
                choices.append(Choice(StoreAttempt(run.key, fate), fate.fault))
            return choices
        choices = fiber_choices(
            run.fiber, fiber, route, can_crash=True, can_crash_before=can_crash_before
        )
        if run.left_ms == 0:
            choices.append(Choice(Expire(run.key), gate=Gate.START))
        return choices
    if is_pausing or (run.phase is RunPhase.RETRY and record.retry_ms):
        return []
    gate = Gate.STEP if run.phase is RunPhase.START else Gate.START
    choices = [Choice(StartAttempt(run.key), gate=gate)]
    for fate in (Fate.CRASH_BEFORE, Fate.CRASH_AFTER):
        if fate is Fate.CRASH_BEFORE and not can_crash_before:
            continue
        choices.append(Choice(StartAttempt(run.key, fate), fate.fault, gate))
    return choices


def is_instance_running(local: Instance) -> bool:
    """Whether a lifetime has something to do that takes no time."""
    if local.live is None:
        return False
    fibers = dict(local.live.fibers)
    body = fibers.get(BODY)
    if body is not None and body.outcome is not None and local.live.rollback is None:
        return True
    if any(fiber.is_busy for fiber in fibers.values()):
        return True
    return any(
        (run.phase is RunPhase.START and local.status is not Status.WAITING_FOR_PAUSE)
        or (run.phase is RunPhase.RUNNING and fibers[run.fiber].outcome is not None)
        for run in local.live.runs
    )


def _is_timer_due(local: Instance) -> bool:
    """Whether it is a timer, not an event, that wants the engine to start."""
    is_sleep = any(sleep.left_ms == 0 for sleep in local.sleeps)
    is_wait = any(wait.outcome is None and wait.left_ms == 0 for wait in local.waits)
    return is_sleep or is_wait or any(step.retry_ms == 0 for step in local.steps)
