"""Calls of an instance that land when whoever made them is gone (F-DO-13, F-LC-7, DIFF-22)."""

from __future__ import annotations

from eutaxy._base.code import Effect
from eutaxy._platform.call import Launch, Return
from eutaxy._platform.fiber import Phase
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.state import Instance, step_of_fiber


def origin_of(identity: Identity, fiber: str, ordinal: int) -> str:
    """The step (or place in `run`) that a call comes from, the same in every attempt."""
    step = step_of_fiber(fiber) if fiber else "run"
    return f"{identity.activation}/{step}/{ordinal}"


def launch_of(identity: Identity, local: Instance, fiber: str, effect: Effect) -> Launch:
    """A call that lands after its caller has died."""
    origin = origin_of(identity, fiber, effect.ordinal)
    return Launch(effect, identity.activation, local.now_ms, origin)


def left_in_flight(
    before: Instance, after: Instance | None, back: Return, identity: Identity
) -> list[Launch]:
    """Calls that were under way when an instance was restarted or deleted: they land later.

    Args:
        before: The instance before it.
        after: The instance after it; None when it is gone.
        back: Who restarted or deleted it, perhaps a call of its own.
        identity: The instance.
    """
    is_kept = after is not None and after.live is before.live
    if before.live is None or is_kept or not identity.profile.callbacks_outlive_abort:
        return []
    caller = (back.fiber, back.ordinal) if back.owner == identity.address else None
    return [
        launch_of(identity, before, name, each.effect)
        for name, fiber in before.live.fibers
        for each in fiber.pending
        if each.phase is Phase.NEW and (name, each.effect.ordinal) != caller
    ]
