"""Put the platform's pieces together for one scenario: addresses, routes, order.

The only module that knows all pieces. Adding a piece means a branch in `component_at` and one in
`route`, and nothing anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from eutaxy._base.code import Effect, Read, UserCode
from eutaxy._base.fault import Fault
from eutaxy._base.functions import NoFunctions, ScenarioFunctions
from eutaxy._base.scenario import HttpRequest, Scenario, Seen, TraceHolds
from eutaxy._platform.call import FLIGHT, Observers, Route
from eutaxy._platform.externals.answers import external_of
from eutaxy._platform.externals.service import Service, external_address
from eutaxy._platform.flight import CallsInFlight
from eutaxy._platform.requests.driver import DRIVER, Driver
from eutaxy._platform.requests.request import FETCH_PROGRAM, Request
from eutaxy._platform.workflows.binding import (
    WorkflowBinding,
    binding_address,
    workflow_target,
)
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.instance import WorkflowInstance
from eutaxy._platform.workflows.optional import asked_fates
from eutaxy._platform.workflows.profile import Engine
from eutaxy._world.component import Address, Component
from eutaxy.errors import UnmodelledError


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a platform is made of.

    Args:
        scenario: The declarations.
        code: The user's code.
        functions: Functions of the scenario.
        observers: Monitors that want to hear of (family, target, operation).
        monitors: Makes the component of a monitor's address.
        epoch_ms: Real time that virtual time zero stands for.
        engine: The Workflows engine.
    """

    scenario: Scenario
    code: UserCode
    observers: Observers
    monitors: Callable[[Address], Component]
    epoch_ms: int
    engine: Engine
    functions: ScenarioFunctions = field(default_factory=NoFunctions)


class Platform:
    """The pieces of one scenario as components by address."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._classes = {each.binding: each.class_name for each in parts.scenario.setup}
        self._next_classes = {each.binding: each.next_class for each in parts.scenario.setup}

    def initial(self) -> tuple[Address, ...]:
        """Components that exist from beginning to end."""
        scenario = self._parts.scenario
        return (
            DRIVER,
            FLIGHT,
            *(external_address(external.name) for external in scenario.externals),
            *(binding_address(setup.binding) for setup in scenario.setup),
        )

    def component_at(self, address: Address) -> Component:
        """Make the component of an address."""
        parts, scenario = self._parts, self._parts.scenario
        kind = address[0]
        if kind == "driver":
            return self._driver()
        if kind == "flight":
            return CallsInFlight()
        if kind == "request":
            request = next(each for each in scenario.drive if each.name == address[1])
            assert isinstance(request, HttpRequest)
            return Request(
                request,
                int(address[2]),
                parts.code,
                self.route,
                parts.observers,
                is_end_noticed=_is_end_noticed(parts, request),
            )
        if kind == "external":
            external = next(each for each in scenario.externals if each.name == address[1])
            return Service(external, parts.observers, parts.functions)
        if kind == "workflow" and len(address) == 2:
            return WorkflowBinding(address[1], parts.engine.profile)
        if kind == "workflow":
            identity = self._identity(address[1], address[2])
            return WorkflowInstance(identity, self.route, parts.observers)
        return parts.monitors(address)

    def route(self, effect: Effect) -> Route:
        """Where a CALL effect goes.

        Raises:
            ScenarioError: An outbound request to an undeclared host.
            UnmodelledError: A binding that the scenario does not set up.
        """
        if effect.name == "Fetch":
            external = external_of(self._parts.scenario.externals, effect)
            return Route(
                external_address(external.name),
                f"Fetch:{external.name} {effect.operation}",
                external.failure_statuses,
                has_outages=external.outage_ms is not None,
            )
        kind, _, binding = effect.name.partition(":")
        if kind == "Workflow" and binding in self._classes:
            return Route(
                workflow_target(binding, effect),
                f"{effect.name} {effect.operation}",
                fates=asked_fates(effect.operation, self._parts.scenario.bounds.asked),
            )
        raise UnmodelledError(
            f"calling {effect.operation} of {effect.name}",
            f"the scenario does not set up {binding!r}; it sets up "
            + (", ".join(sorted(self._classes)) or "nothing"),
            f'add workflow("{binding}", "<class>") to setup',
            place=effect.place,
        )

    def _driver(self) -> Driver:
        scenario = self._parts.scenario
        code = self._parts.code
        programs = (FETCH_PROGRAM, *(name for each in scenario.setup for name in each.classes))
        reads = [code.reads(program) for program in programs]
        return Driver(
            scenario.drive,
            self.route,
            redeliveries_max=scenario.bounds.max_redeliveries,
            has_clock=any(Read.CLOCK in each for each in reads),
            has_random=Read.RANDOM in code.reads(FETCH_PROGRAM),
        )

    def _identity(self, binding: str, instance_id: str) -> Identity:
        parts = self._parts
        return Identity(
            binding=binding,
            workflow_name=parts.engine.names.get(binding, binding),
            class_name=self._classes[binding],
            instance_id=instance_id,
            epoch_ms=parts.epoch_ms,
            downtime_ms=parts.scenario.downtime_ms,
            profile=parts.engine.profile,
            steps_max=parts.engine.steps_max.get(binding, parts.engine.profile.steps_max),
            errors_are_enhanced=parts.engine.errors_are_enhanced,
            non_retryable_message_kept=parts.engine.non_retryable_message_kept,
            code=parts.code,
            asked=tuple(
                each
                for each in parts.scenario.bounds.asked
                if each is not Fault.DEPLOYED or self._next_classes[binding]
            ),
            next_class=self._next_classes[binding],
            one_by_one=parts.engine.one_by_one,
        )


def _is_end_noticed(parts: Parts, request: HttpRequest) -> bool:
    """Whether something depends on the moment in which a request ends."""
    scenario = parts.scenario
    is_waited_for = any(each.timing.after_event == request.name for each in scenario.drive)
    is_in_traces = any(isinstance(each, TraceHolds) for each in scenario.invariants)
    is_heard = bool(parts.observers(Seen.RESPONSE, "", request.name))
    return is_waited_for or is_in_traces or is_heard or request.is_repeated


_KINDS = ("request", "workflow", "flight", "external", "driver")


def platform_order(address: Address) -> tuple[int, Address]:
    """Order of components: activations first, the driver after them, monitors last."""
    kind = address[0]
    return (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), address)
