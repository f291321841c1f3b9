"""Whose a component or a choice is: which activation, or none for what serves all."""

from __future__ import annotations

from collections.abc import Hashable

from eutaxy._base.scenario import Scenario
from eutaxy._platform.flight import Land
from eutaxy._platform.requests.driver import Deliver, Repeat
from eutaxy._world.apart import Ownership
from eutaxy._world.component import Address


def ownership_of(scenario: Scenario) -> Ownership:
    """How to tell it in the worlds of a scenario.

    An activation is a driver event, by name (all deliveries of a request), or a Workflow instance.
    Services, bindings, monitors, the driver and the calls in flight serve all.
    """

    def of_choice(message: Hashable) -> str | None:
        if isinstance(message, Deliver | Repeat):
            return scenario.drive[message.index].name
        if isinstance(message, Land):
            return message.call.launch.activation
        return None

    return Ownership(_of_address, of_choice, _is_delivery)


def _of_address(address: Address) -> str | None:
    if address[0] == "request":
        return address[1]
    if address[0] == "workflow" and len(address) > 2:
        return ":".join(address)
    return None


def _is_delivery(message: Hashable) -> bool:
    return isinstance(message, Deliver) and not message.is_again
