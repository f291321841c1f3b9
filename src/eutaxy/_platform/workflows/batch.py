"""`createBatch` and `deleteBatch`: what is refused as a whole, and what happens to each entry
(1.2).

The binding asks each instance in turn, in the order of the batch, and puts the answers together;
all of that is one transition. It is not one transaction: a batch may be cut in the middle
(F-CR-7).
"""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.code import Outcome, Returned, Threw
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._base.value_parts import compose, part
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.identity import (
    is_addressable_id,
    is_instance_id,
    is_reserved_id,
)
from eutaxy._platform.workflows.retention import is_retention

BATCH_MAX = 100
BATCH_BYTES_MAX = 2**20
"""Largest batch that production takes (R-CR-11)."""
UNDEFINED_TREE: dict[str, Plain] = {"$": "undefined"}

_SHARED = ("params", "retention")
"""What an entry hands on to the `create` of its instance, besides the id."""

TOO_MANY = f"batchCreate only supports {BATCH_MAX} instances at a time"
INVALID = "Provided argument is invalid"
MESSAGES = {
    10_400: "workflows.api.error.instance.not_found",
    10_405: "workflows.api.error.instance.already_exists",
    10_415: "workflows.api.error.instance.duplicate_in_batch",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a batch: the id (None: the engine makes one) and the arguments of its call."""

    instance_id: str | None
    args: Value


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch under way.

    Args:
        entries: What is asked for, in order; ids are known by now.
        is_array: The deprecated array form, which skips what exists.
        operation: "create" or "delete".
        outcomes: Answers so far.
        refusal: What its caller hears although entries of it were done.
    """

    entries: tuple[Entry, ...]
    is_array: bool
    operation: str
    outcomes: tuple[Outcome, ...] = ()
    refusal: Threw | None = None


def read_create_batch(args: Value, *, is_strict: bool, is_list_only: bool) -> Batch | Threw:
    """What a `createBatch` call asks for; or its refusal.

    Args:
        args: Arguments of the call.
        is_strict: Refuse what only production refuses: large batches, reserved ids in an array,
            `count` beside `instances`.
        is_list_only: Know no other form than a list, of any length.

    Source:
        R-CR-8 to R-CR-11.
    """
    options = part(args, "options")
    if options is not None and is_strict and len(options.encode()) > BATCH_BYTES_MAX:
        return errors.plain("The batch is larger than 1MiB")
    tree = decode(options) if options is not None else UNDEFINED_TREE
    if isinstance(tree, list):
        if not tree:
            return errors.plain("WorkflowError: batchCreate should have at least 1 instance")
        if len(tree) > BATCH_MAX and not is_list_only:
            return errors.plain(f"WorkflowError: {TOO_MANY}")
        if is_list_only:
            return _unchecked(tree)
        entries = _entries(tree, errors.invalid_id(), is_array=True, is_strict=is_strict)
        return (
            entries
            if isinstance(entries, Threw)
            else Batch(entries, is_array=True, operation="create")
        )
    if not isinstance(tree, dict) or tree == UNDEFINED_TREE:
        return errors.refused("body", INVALID)
    if is_list_only:
        return errors.plain("batch.map is not a function", "TypeError")
    count, instances = tree.get("count", UNDEFINED_TREE), tree.get("instances", UNDEFINED_TREE)
    if count != UNDEFINED_TREE:
        if is_strict and instances != UNDEFINED_TREE:
            return errors.refused("body", INVALID)
        if not is_retention(tree.get("retention", UNDEFINED_TREE)):
            return errors.refused("body", INVALID)
        shared = [(each, part(args, "options", each)) for each in _SHARED]
        counted = _counted(count, [(name, value) for name, value in shared if value is not None])
        return (
            counted
            if isinstance(counted, Threw)
            else Batch(counted, is_array=False, operation="create")
        )
    if not isinstance(instances, list):
        return errors.refused("body", INVALID)
    if not 1 <= len(instances) <= BATCH_MAX:
        return errors.refused("body", "Batch size exceeds maximum allowed")
    invalid = errors.refused("instance.invalid_id", "Instance ID is invalid")
    entries = _entries(instances, invalid, is_array=False, is_strict=True)
    return (
        entries
        if isinstance(entries, Threw)
        else Batch(entries, is_array=False, operation="create")
    )


def _unchecked(trees: list[Plain]) -> Batch | Threw:
    """A list that is created entry by entry: what is invalid in it keeps nothing else back."""
    invalid = errors.invalid_id()
    read = [_entries([tree], invalid, is_array=True, is_strict=False) for tree in trees]
    entries = tuple(entry for each in read if not isinstance(each, Threw) for entry in each)
    refusal = next((each for each in read if isinstance(each, Threw)), None)
    if refusal is not None and not entries:
        return refusal
    return Batch(entries, is_array=True, operation="create", refusal=refusal)


def _counted(count: Plain, shared: list[tuple[str, Value]]) -> tuple[Entry, ...] | Threw:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        return errors.refused("body", "count must be a positive integer")
    if count > BATCH_MAX:
        return errors.refused("body", TOO_MANY)
    return (Entry(None, _create_args(shared)),) * count


def _entries(
    trees: list[Plain], invalid: Threw, *, is_array: bool, is_strict: bool
) -> tuple[Entry, ...] | Threw:
    entries: list[Entry] = []
    for tree in trees:
        if not isinstance(tree, dict):
            return errors.refused("body", "an instance of a batch must be an object")
        if not is_array and not is_retention(tree.get("retention", UNDEFINED_TREE)):
            return errors.refused("body", INVALID)
        instance_id = tree.get("id", UNDEFINED_TREE)
        shared = [(each, encode(tree[each])) for each in _SHARED if each in tree]
        if instance_id == UNDEFINED_TREE:
            entries.append(Entry(None, _create_args(shared)))
            continue
        if not isinstance(instance_id, str) or not is_instance_id(instance_id):
            return invalid
        if is_strict and is_reserved_id(instance_id):
            return invalid
        own = [("id", encode(instance_id)), *shared]
        entries.append(Entry(instance_id, _create_args(own)))
    return tuple(entries)


def _create_args(members: list[tuple[str, Value]]) -> Value:
    return compose([("options", compose(members))])


def read_delete_batch(args: Value) -> tuple[Entry, ...] | Threw:
    """The entries of a `deleteBatch` call; or its refusal (1.2)."""
    ids = part(args, "ids")
    tree = decode(ids) if ids is not None else UNDEFINED_TREE
    if not isinstance(tree, list):
        return errors.refused("body", INVALID)
    if not tree:
        return errors.refused("body", "batchDeleteInstances should have at least 1 instance")
    if len(tree) > BATCH_MAX:
        message = f"batchDeleteInstances only supports {BATCH_MAX} instances at a time"
        return errors.refused("body", message)
    entries: list[Entry] = []
    for each in tree:
        if not is_addressable_id(each):
            return errors.refused("instance.invalid_id", "Instance ID is invalid")
        assert isinstance(each, str)
        entries.append(Entry(each, encode({"id": each, "options": UNDEFINED_TREE})))
    return tuple(entries)


def batch_answer(batch: Batch) -> Outcome:
    """What the caller of a whole batch is answered."""
    if batch.refusal is not None:
        return batch.refusal
    if batch.operation == "delete":
        return Returned(encode(_deleted(batch)))
    created: list[Plain] = []
    failed: list[Plain] = []
    mine: list[str] = []
    for index, (entry, outcome) in enumerate(zip(batch.entries, batch.outcomes, strict=True)):
        assert entry.instance_id is not None
        if isinstance(outcome, Returned):
            created.append({"id": entry.instance_id})
            mine.append(entry.instance_id)
            continue
        code = 10_415 if entry.instance_id in mine else 10_405
        refused: dict[str, Plain] = {"index": index, "id": entry.instance_id}
        failed.append({**refused, "code": code, "message": MESSAGES[code]})
    if batch.is_array:
        return Returned(encode(created))
    return Returned(encode({"created": created, "errors": failed}))


def _deleted(batch: Batch) -> dict[str, Plain]:
    deleted: list[Plain] = []
    failed: list[Plain] = []
    gone: list[str] = []
    for entry, outcome in zip(batch.entries, batch.outcomes, strict=True):
        assert entry.instance_id is not None
        if isinstance(outcome, Returned) or entry.instance_id in gone:
            deleted.append({"id": entry.instance_id})
            gone.append(entry.instance_id)
        else:
            missing: Plain = {"id": entry.instance_id, "code": 10_400, "message": MESSAGES[10_400]}
            failed.append(missing)
    return {"deleted": deleted, "errors": failed}
