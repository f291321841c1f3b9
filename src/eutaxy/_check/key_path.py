"""Key paths: where in a view or a row the key of an invariant is found ("args.body.expenseId")."""

from __future__ import annotations

from eutaxy._base.requests import look_up
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
    names = path.split(".")
    depth = 0
    while depth < len(names) and look_up(tree, ".".join(names[: depth + 1]))[1]:
        depth += 1
    here = look_up(tree, ".".join(names[:depth]))[0] if depth else tree
    inside = ".".join(names[:depth]) or "it"
    raise ScenarioError(
        f"reading key {path!r} of invariant {invariant!r} from {what}",
        f"there is no {names[depth]!r} in {inside}; there is {_names(here)}",
        "correct the key path, or select only happenings that carry the key",
        place=place,
    )


def _names(tree: Plain) -> str:
    if isinstance(tree, dict):
        return ", ".join(repr(name) for name in tree) or "an empty object"
    if isinstance(tree, list):
        return f"a list of {len(tree)}"
    return f"the value {tree!r}"
