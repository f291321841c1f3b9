"""Key paths: where in a view or a row the key of an invariant is found ("args.body.expenseId")."""

from __future__ import annotations

from eutaxy._base.requests import look_up, what_is_there
from eutaxy._base.value import Plain, Value, encode
from eutaxy.errors import ScenarioError


def find_key(tree: Plain, path: str, *, invariant: str, what: str, place: str) -> Value:
    """The value at a path.

    Args:
        tree: What is looked into, decoded.
        path: Names and indexes joined by dots.
        invariant: Who asks, for messages.
        what: What is looked into ("Fetch:payouts POST"), for messages.
        place: Where the user wrote the path.

    Raises:
        ScenarioError: Nothing is there; the message names what is.
    """
    found, is_there = look_up(tree, path)
    if is_there:
        return encode(found)
    raise ScenarioError(
        f"reading key {path!r} of invariant {invariant!r} from {what}",
        what_is_there(tree, path),
        "correct the key path, or select only happenings that carry the key",
        place=place,
    )
