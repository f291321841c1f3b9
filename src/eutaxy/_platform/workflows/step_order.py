"""Steps that run beside each other, taken one after another (docs/soundness.md).

An engine may be asked to offer, of steps that could go on at the same moment, only the first. That
is right only where such steps have nothing to do with each other. What can be seen from the state
of one instance is judged here; the rest is up to whoever asks for it.
"""

from __future__ import annotations

from eutaxy._platform.fiber import Fiber
from eutaxy._platform.workflows.state import BODY, Instance, Key, RunPhase, Status, StepRun


class StepsTangled(Exception):
    """Steps cannot be taken one after another.

    Args:
        why: What they have to do with each other, or with something else.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def withheld_steps(local: Instance) -> tuple[Key, ...]:
    """Steps that wait until those before them have nothing left to do at this moment.

    Raises:
        StepsTangled: Something else than steps of `run` goes on beside them.
    """
    live = local.live
    if live is None:
        return ()
    fibers = dict(live.fibers)
    ready = [run for run in live.runs if _is_ready(run, fibers.get(run.fiber))]
    if len(ready) < 2:
        return ()
    if local.status is not Status.RUNNING:
        raise StepsTangled(f"the instance is {local.status.value} while they go on")
    body = fibers.get(BODY)
    if body is None or body.pending or body.outcome is not None:
        raise StepsTangled("run() goes on beside them")
    if live.sleepers or live.waiters:
        raise StepsTangled("a sleep or a wait goes on beside them")
    if live.handlers or live.rollback is not None:
        raise StepsTangled("they are rolled back in the order in which they began")
    if any(run.owner != BODY for run in live.runs):
        raise StepsTangled("a step is inside a step")
    return tuple(run.key for run in ready[1:])


def _is_ready(run: StepRun, fiber: Fiber | None) -> bool:
    """Whether a step has something to do that takes no time."""
    if run.phase is RunPhase.START:
        return True
    if fiber is None or not run.is_attempting:
        return False
    return fiber.outcome is not None or fiber.is_busy
