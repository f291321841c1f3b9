"""A Workflow binding: calls that name no instance (an id made by the engine, bad ids)."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace

from eutaxy._base.code import Effect, Outcome, Threw
from eutaxy._base.value import UNDEFINED, Plain, decode
from eutaxy._base.value_parts import part
from eutaxy._platform.call import FLIGHT, Answered, Fate, Fly, Launch, Perform, Return
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.batch import (
    Batch,
    Entry,
    batch_answer,
    read_create_batch,
    read_delete_batch,
)
from eutaxy._platform.workflows.identity import is_addressable_id, is_instance_id
from eutaxy._platform.workflows.instance import instance_address
from eutaxy._platform.workflows.profile import Profile
from eutaxy._world.component import Address, Local, Passive, Step
from eutaxy.errors import UnmodelledError


@dataclass(frozen=True, slots=True)
class BindingState:
    """How many ids the engine has made so far, and the batch whose answers are being collected."""

    ids_made: int = 0
    batch: Batch | None = None
    back: Return | None = None


def binding_address(binding: str) -> Address:
    """Address of the binding itself."""
    return ("workflow", binding)


class WorkflowBinding(Passive):
    """The component of one binding.

    Args:
        binding: Its name.
        profile: Engine behaviour.
    """

    def __init__(self, binding: str, profile: Profile) -> None:
        self._binding = binding
        self._is_strict = profile.names_are_checked
        self._is_list_only = profile.batch_is_list
        self._target = f"Workflow:{binding}"

    def initial(self) -> Local:
        """No id made yet."""
        return BindingState()

    def on(self, local: Local, message: Hashable) -> Step:
        """Give an instance its id and pass the call on, work through a batch, or refuse."""
        assert isinstance(local, BindingState)
        if isinstance(message, Launch):
            here = binding_address(self._binding)
            return Step(local, ((FLIGHT, Fly(here, message)),))
        if isinstance(message, Answered):
            return self._collect(local, message)
        assert isinstance(message, Perform)
        effect = message.effect
        match effect.operation:
            case "create":
                return self._create(local, message)
            case "createBatch":
                read = read_create_batch(
                    effect.args, is_strict=self._is_strict, is_list_only=self._is_list_only
                )
                if isinstance(read, Threw):
                    return self._answer(local, message.back, effect.operation, read)
                return self._begin(local, message, read)
            case "deleteBatch":
                ids = read_delete_batch(effect.args)
                if isinstance(ids, Threw):
                    return self._answer(local, message.back, effect.operation, ids)
                return self._begin(local, message, Batch(ids, is_array=False, operation="delete"))
            case "get":
                return self._answer(local, message.back, "get", errors.not_found())
        raise UnmodelledError(
            f"calling {effect.operation} of Workflow binding {self._binding}",
            f"{effect.operation} is not modelled",
            "remove the call to check the rest of the Worker",
            place=effect.place,
        )

    def _create(self, local: BindingState, message: Perform) -> Step:
        asked = part(message.effect.args, "options", "id")
        if asked is not None and asked != UNDEFINED:
            return self._answer(local, message.back, "create", errors.invalid_id())
        made = local.ids_made + 1
        to = instance_address(self._binding, made_id(self._binding, made))
        return Step(replace(local, ids_made=made), ((to, message),))

    def _begin(self, local: BindingState, message: Perform, batch: Batch) -> Step:
        assert local.batch is None
        made = local.ids_made
        entries: list[Entry] = []
        is_cut = message.back.fate is Fate.CUT_SHORT
        for entry in batch.entries[:1] if is_cut else batch.entries:
            if entry.instance_id is None:
                made += 1
                entries.append(replace(entry, instance_id=made_id(self._binding, made)))
            else:
                entries.append(entry)
        out: list[tuple[Address, Hashable]] = []
        here = binding_address(self._binding)
        for index, entry in enumerate(entries):
            assert entry.instance_id is not None
            effect = replace(message.effect, operation=batch.operation, args=entry.args)
            back = Return(here, "batch", index, Fate.NORMAL)
            to = instance_address(self._binding, entry.instance_id)
            out.append((to, Perform(effect, back, message.now_ms)))
        after = BindingState(made, replace(batch, entries=tuple(entries)), message.back)
        return Step(after, tuple(out))

    def _collect(self, local: BindingState, answered: Answered) -> Step:
        batch, back = local.batch, local.back
        assert batch is not None
        assert back is not None
        batch = replace(batch, outcomes=(*batch.outcomes, answered.outcome))
        if len(batch.outcomes) < len(batch.entries):
            return Step(replace(local, batch=batch))
        after = BindingState(local.ids_made)
        return self._answer(after, back, f"{batch.operation}Batch", batch_answer(batch))

    def _answer(self, local: BindingState, back: Return, operation: str, outcome: Outcome) -> Step:
        answered = Answered(back, outcome, f"{self._target} {operation}")
        return Step(local, ((back.owner, answered),))


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
        is_known = is_instance_id(instance_id)
    else:
        # Instances that a schedule created have ids that no caller may choose (1.2, R-CRON-1).
        is_known = is_addressable_id(instance_id)
    if isinstance(instance_id, str) and is_known:
        return instance_address(binding, instance_id)
    return binding_address(binding)
