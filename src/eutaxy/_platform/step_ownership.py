"""Which part of which activation a choice belongs to: one of its steps, or the rest of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from eutaxy._platform.call import Act, Hear
from eutaxy._platform.flight import Land
from eutaxy._platform.workflows.choices import Expire, StartAttempt, StoreAttempt
from eutaxy._platform.workflows.state import BODY, step_of_fiber
from eutaxy._world.component import Address

Party: TypeAlias = tuple[str, str]
"""An activation and its step, as `name:count`; the step is empty for the rest of the activation."""

REST = ""


def party_of_choice(address: Address, message: Hashable) -> Party | None:
    """The party that a choice belongs to; None for the driver's choices.

    Args:
        address: The component that is offered the choice.
        message: The choice.
    """
    if isinstance(message, Land):
        launch = message.call.launch
        step = launch.origin.removeprefix(f"{launch.activation}/").rpartition("/")[0]
        return (launch.activation, REST if step == "run" else step)
    if address[0] == "request":
        return (address[1], REST)
    if address[0] != "workflow" or len(address) < 3:
        return None
    activation = ":".join(address)
    if isinstance(message, Act | Hear) and message.fiber != BODY:
        return (activation, step_of_fiber(message.fiber))
    if isinstance(message, StartAttempt | StoreAttempt | Expire):
        return (activation, f"{message.key.name}:{message.key.count}")
    return (activation, REST)
