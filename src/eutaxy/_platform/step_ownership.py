"""Which step of a Workflow a choice belongs to."""

from __future__ import annotations

from collections.abc import Hashable

from eutaxy._platform.call import Act, Hear
from eutaxy._platform.flight import Land
from eutaxy._platform.workflows.choices import Expire, StartAttempt, StoreAttempt
from eutaxy._platform.workflows.state import BODY, step_of_fiber
from eutaxy._world.component import Address


def step_of_choice(address: Address, message: Hashable) -> tuple[str, str] | None:
    """The instance and the step that a choice belongs to; None for a choice of no step.

    Args:
        address: The component that is offered the choice.
        message: The choice.
    """
    if isinstance(message, Land):
        launch = message.call.launch
        step = launch.origin.removeprefix(f"{launch.activation}/").rpartition("/")[0]
        return (launch.activation, step) if step not in ("", "run") else None
    if address[0] != "workflow" or len(address) < 3:
        return None
    activation = ":".join(address)
    if isinstance(message, Act | Hear):
        return None if message.fiber == BODY else (activation, step_of_fiber(message.fiber))
    if isinstance(message, StartAttempt | StoreAttempt | Expire):
        return (activation, f"{message.key.name}:{message.key.count}")
    return None
