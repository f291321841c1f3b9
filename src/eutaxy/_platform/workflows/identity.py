"""What stays the same for a Workflow instance, and what its ids may look like."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from eutaxy._base.code import Read, UserCode
from eutaxy._base.fault import Fault
from eutaxy._platform.workflows.profile import Profile
from eutaxy._world.component import Address

_RESERVED = ("batch", "terminate", "terminateAll")
_MADE = re.compile(r"cf_[0-9a-f]{64}")
_FIRST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What stays the same for an instance: its binding, its Workflow and what runs it.

    Args:
        binding: Name of the binding.
        workflow_name: Name of the Workflow in the config.
        class_name: The class that it runs.
        instance_id: Its id.
        epoch_ms: Real time that virtual time zero stands for.
        downtime_ms: Virtual time until a crashed engine is back.
        profile: Engine behaviour.
        steps_max: Most `do` calls in one lifetime (R-LIM-1).
        errors_are_enhanced: Errors keep name and properties across steps (R-ERR-2).
        non_retryable_message_kept: R-NR-2.
        code: The user's code.
        asked: Optional faults that may strike.
        one_by_one: Whether steps that run beside each other are taken one after another.
        next_class: The class that it runs after a deploy (F-RUN-5); empty for none.
    """

    binding: str
    workflow_name: str
    class_name: str
    instance_id: str
    epoch_ms: int
    downtime_ms: int
    profile: Profile
    steps_max: int
    errors_are_enhanced: bool
    non_retryable_message_kept: bool
    code: UserCode
    asked: tuple[Fault, ...] = ()
    one_by_one: bool = False
    next_class: str = ""

    def reads(self) -> frozenset[Read]:
        """What is part of the state, for any class that it may run."""
        reads = self.code.reads(self.class_name)
        return reads | self.code.reads(self.next_class) if self.next_class else reads

    @property
    def address(self) -> Address:
        """Address of the instance."""
        return ("workflow", self.binding, self.instance_id)

    @property
    def object_id(self) -> str:
        """Id of its engine object."""
        return object_id(self.binding, self.instance_id)

    @property
    def activation(self) -> str:
        """Name of its lifetimes, without the number."""
        return f"workflow:{self.binding}:{self.instance_id}"


def object_id(binding: str, instance_id: str) -> str:
    """The id of the engine object of an instance: 64 hexadecimal digits that mean nothing."""
    return hashlib.blake2b(f"{binding}/{instance_id}".encode(), digest_size=32).hexdigest()


def is_addressable_id(text: object) -> bool:
    """Whether an instance may have that id, cron-created ones included (1.2)."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= 271
        and all(char in _FIRST or char in ", */#-" for char in text)
    )


def is_reserved_id(text: str) -> bool:
    """Whether an id names something else (1.2)."""
    return text in _RESERVED or _MADE.fullmatch(text) is not None


def is_instance_id(text: object) -> bool:
    """Whether a value may be an instance id (1.2); event types look alike (DIFF-12)."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= 100
        and text[0] in _FIRST
        and all(char in _FIRST or char == "-" for char in text)
    )
