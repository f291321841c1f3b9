"""What an instance tells to monitors: stored steps, changes of status, calls of the binding."""

from __future__ import annotations

from eutaxy._base.code import Outcome, Returned, Threw
from eutaxy._base.observation import Happened
from eutaxy._base.scenario import Seen
from eutaxy._base.value import Plain, decode, encode
from eutaxy._platform.call import Observers, Out, Perform
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.state import Instance, Key


class Teller:
    """Tells what happened to one instance, to whoever wants to hear of it.

    Args:
        identity: The instance.
        observers: Who wants to hear.
    """

    def __init__(self, identity: Identity, observers: Observers) -> None:
        self._identity = identity
        self._observers = observers

    def status(self, before: Instance | None, after: Instance | None) -> tuple[Out, ...]:
        """A change of status, if there was one."""
        if after is None or (before is not None and before.status is after.status):
            return ()
        binding, status = self._identity.binding, after.status.value
        observers = self._observers(Seen.STATUS, binding, status)
        if not observers:
            return ()
        view: dict[str, Plain] = {
            "instance": self._identity.instance_id,
            "params": decode(after.params),
            "status": status,
            **_outcome(after.result, "output"),
        }
        shown = f"Workflow:{binding} {status}"
        return self._tell(observers, Seen.STATUS, status, view, shown, self._identity.activation)

    def step(self, instance: Instance, key: Key, outcome: Outcome | None) -> tuple[Out, ...]:
        """A step whose outcome has been stored."""
        binding = self._identity.binding
        observers = self._observers(Seen.STEP, binding, key.name)
        if outcome is None or not observers:
            return ()
        view: dict[str, Plain] = {
            "instance": self._identity.instance_id,
            "params": decode(instance.params),
            "step": key.name,
            "count": key.count,
            **_outcome(outcome, "value"),
        }
        shown = f"Workflow:{binding} step {key}"
        origin = f"{self._identity.activation}/{key}"
        return self._tell(observers, Seen.STEP, key.name, view, shown, origin)

    def call(self, perform: Perform, outcome: Outcome) -> tuple[Out, ...]:
        """A call of the binding or of the instance's handle."""
        binding, operation = self._identity.binding, perform.effect.operation
        observers = self._observers(Seen.BINDING, binding, operation)
        if not observers or isinstance(outcome, Threw):
            return ()
        view: dict[str, Plain] = {
            "args": decode(perform.effect.args),
            "answer": decode(outcome.value),
        }
        shown = f"Workflow:{binding} {operation}"
        return self._tell(observers, Seen.BINDING, operation, view, shown, perform.origin)

    def oddities(self, oddities: list[tuple[str, str]]) -> tuple[Out, ...]:
        """Built-in invariants that the instance has broken."""
        told: list[Out] = []
        for invariant, what in oddities:
            observers = self._observers(Seen.ODDITY, self._identity.binding, invariant)
            view: dict[str, Plain] = {"instance": self._identity.instance_id, "what": what}
            activation = self._identity.activation
            told += self._tell(observers, Seen.ODDITY, invariant, view, what, activation)
        return tuple(told)

    def _tell(
        self,
        observers: tuple[tuple[str, ...], ...],
        seen: Seen,
        operation: str,
        view: dict[str, Plain],
        shown: str,
        origin: str,
    ) -> tuple[Out, ...]:
        happened = Happened(
            seen=seen,
            target=self._identity.binding,
            operation=operation,
            path="",
            view=encode(view),
            shown=shown,
            origin=origin,
        )
        return tuple((observer, happened) for observer in observers)


def _outcome(outcome: Outcome | None, name: str) -> dict[str, Plain]:
    if isinstance(outcome, Returned):
        return {name: decode(outcome.value), "error": None}
    if isinstance(outcome, Threw):
        error, message = errors.error_parts(outcome.value)
        return {name: None, "error": {"name": error, "message": message}}
    return {name: None, "error": None}
