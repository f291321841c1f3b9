"""Pauses that user code can see, as in local engines (R-LC-5, DIFF-05).

Theory: a local engine that pauses throws into whatever waits at that moment: sleeps, event waits,
retry waits, and the step at whose end the pause took effect (its value is stored). The body goes
on as it pleases: mostly the error ends it, and the instance stays paused; a body that swallows it
goes on, and what waits next meets the error again. The engine process lives on all the time.
"""

from __future__ import annotations

from eutaxy._base.code import Threw
from eutaxy._base.record import RecordKind
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.state import RunPhase, Status
from eutaxy._platform.workflows.steps import fail
from eutaxy._platform.workflows.turn import Turn


def take_pause(turn: Turn) -> bool:
    """Let a visible pause take effect, and throw into what waits; whether there was any."""
    if not turn.is_live or not turn.is_stopped:
        return False
    if turn.instance.status is Status.WAITING_FOR_PAUSE:
        if turn.is_attempting():
            return False
        turn.note(RecordKind.SUSPENDED, "paused")
        turn.set_status(Status.PAUSED)
    waiting = [*turn.sleepers, *turn.waiters]
    turn.sleepers.clear()
    turn.waiters.clear()
    for waiter in waiting:
        turn.settle(waiter.owner, waiter.ordinal, errors.paused(), waiter.place)
    retrying = [run for run in turn.runs.values() if run.phase is RunPhase.RETRY]
    for run in retrying:
        fail(turn, run, errors.paused())
    return bool(waiting or retrying)


def is_over_by_pause(turn: Turn, thrown: Threw) -> bool:
    """Whether `run` has ended with the error of a pause: the instance then keeps its status."""
    return turn.profile.pause_is_visible and errors.is_pause(thrown.value)
