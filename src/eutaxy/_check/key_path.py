"""Key paths: where in an effect or a row the key of an invariant is found
("args.body.expenseId")."""

from __future__ import annotations

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
    here = tree
    done: list[str] = []
    for name in path.split("."):
        if isinstance(here, dict) and name in here:
            here = here[name]
        elif isinstance(here, list) and name.isdecimal() and int(name) < len(here):
            here = here[int(name)]
        else:
            raise ScenarioError(
                f"reading key {path!r} of invariant {invariant!r} from {what}",
                f"there is no {name!r} in {'.'.join(done) or 'it'}; there is {_names(here)}",
                "correct the key path, or select only effects that carry the key",
                place=place,
            )
        done.append(name)
    return encode(here)


def _names(tree: Plain) -> str:
    if isinstance(tree, dict):
        return ", ".join(repr(name) for name in tree) or "an empty object"
    if isinstance(tree, list):
        return f"a list of {len(tree)}"
    return f"the value {tree!r}"
