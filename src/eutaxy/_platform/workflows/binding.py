"""A Workflow binding: calls that name no instance (an id made by the engine, bad ids)."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace

from eutaxy._base.code import Effect, Threw
from eutaxy._base.value import Plain, decode
from eutaxy._platform.call import Answered, Perform
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.identity import is_instance_id
from eutaxy._platform.workflows.instance import instance_address
from eutaxy._world.component import Address, Choice, Local, Step
from eutaxy.errors import UnmodelledError


@dataclass(frozen=True, slots=True)
class BindingState:
    """How many ids the engine has made so far."""

    ids_made: int = 0


def binding_address(binding: str) -> Address:
    """Address of the binding itself."""
    return ("workflow", binding)


class WorkflowBinding:
    """The component of one binding."""

    def __init__(self, binding: str) -> None:
        self._binding = binding
        self._target = f"Workflow:{binding}"

    def initial(self) -> Local:
        """No id made yet."""
        return BindingState()

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """None."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Nothing depends on time."""
        return local

    def on(self, local: Local, message: Hashable) -> Step:
        """Give an instance its id and pass the call on, or refuse it."""
        assert isinstance(local, BindingState)
        assert isinstance(message, Perform)
        effect = message.effect
        args = decode(effect.args)
        assert isinstance(args, dict)
        if effect.operation == "get":
            return self._answer(local, message, errors.not_found())
        if effect.operation != "create":
            raise UnmodelledError(
                f"calling {effect.operation} of Workflow binding {self._binding}",
                f"{effect.operation} is not modelled yet",
                "remove the call to check the rest of the Worker",
                place=effect.place,
            )
        options = args.get("options")
        if isinstance(options, dict) and options.get("id", _UNDEFINED) != _UNDEFINED:
            refusal = errors.refused("instance.invalid_id", "Workflow instance has invalid id")
            return self._answer(local, message, refusal)
        made = local.ids_made + 1
        to = instance_address(self._binding, made_id(self._binding, made))
        return Step(replace(local, ids_made=made), ((to, message),))

    def _answer(self, local: BindingState, message: Perform, outcome: Threw) -> Step:
        shown = f"{self._target} {message.effect.operation}"
        answered = Answered(message.back, outcome, shown)
        return Step(local, ((message.back.owner, answered),))


def made_id(binding: str, number: int) -> str:
    """The id that the engine makes for its n-th nameless instance: a UUID in form, a count in fact.

    Counting (rather than drawing) keeps equal histories equal; code must treat the id as opaque.
    """
    digest = hashlib.blake2b(f"{binding}/{number}".encode(), digest_size=16).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"


def workflow_target(binding: str, effect: Effect) -> Address:
    """Where a call of a Workflow binding or of one of its instance handles goes."""
    args = decode(effect.args)
    assert isinstance(args, dict)
    instance_id: Plain = args.get("id")
    if effect.operation == "create":
        options = args.get("options")
        instance_id = options.get("id") if isinstance(options, dict) else None
    if isinstance(instance_id, str) and is_instance_id(instance_id):
        return instance_address(binding, instance_id)
    return binding_address(binding)


_UNDEFINED: dict[str, Plain] = {"$": "undefined"}
