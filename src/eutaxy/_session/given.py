"""Reading what several declarations share: JSON values, functions, and paths into what is seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from eutaxy._base.scenario import FunctionRef, Seen
from eutaxy._base.value import Plain, Value, encode
from eutaxy._session.declared import Members, alternatives, near_miss

Shape = Mapping[str, tuple[str, ...] | None]
"""First names of key paths, each with the names that may follow: None for none, () for any."""

REQUEST: Shape = {"args": ("body", "headers", "method", "path", "segments", "url")}
"""What conditions of a response look into."""

ROW: Shape = {"id": None, "status": None, "params": (), "output": (), "error": ()}
"""What is known of an instance."""

VIEWS: Mapping[Seen, Shape] = {
    Seen.FETCH: {**REQUEST, "answer": ("body", "headers", "status")},
    Seen.BINDING: {"args": (), "answer": ()},
    Seen.STEP: {
        "instance": None,
        "params": (),
        "step": None,
        "count": None,
        "value": (),
        "error": (),
    },
    Seen.STATUS: {"instance": None, "params": (), "status": None, "output": (), "error": ()},
    Seen.RESPONSE: {
        "request": None,
        "method": None,
        "path": None,
        "segments": (),
        "status": None,
        "headers": (),
        "body": (),
    },
}
"""What each kind of selector lets key paths look into."""


def read_key_path(members: Members, shape: Shape, name: str = "keyPath") -> str:
    """A key path that must be there, checked as far as its names are known beforehand."""
    path = members.text(name, "names joined by dots")
    check_key_path(members, path, shape)
    return path


def check_key_path(members: Members, path: str, shape: Shape) -> None:
    """See that a key path is whole and begins with names that there are."""
    first, *rest = path.split(".")
    known = [shape.keys()]
    if first in shape:
        known.append(dict.fromkeys(shape[first] or ()).keys())
    for name, names in zip((first, *rest), known, strict=False):
        if names and name not in names:
            raise members.wrong(
                f'the key path "{path}" has "{name}"{near_miss(name, names)}',
                f"there, use one of: {alternatives(names)}",
                word=path,
            )
    if not all((first, *rest)) or (shape[first] and not rest):
        raise members.wrong(
            f'the key path "{path}" is not whole', "join names by single dots", word=path
        )
    if shape[first] is None and rest:
        raise members.wrong(
            f'the key path "{path}" goes on after "{first}", which is a text or a number',
            f'write "{first}"',
            word=path,
        )


def read_where(members: Members, name: str, shape: Shape) -> tuple[tuple[str, Value], ...]:
    """Conditions: key paths with the values that are expected there."""
    given = members.optional(name)
    if given is None:
        return ()
    if not isinstance(given, dict) or "$eutaxy" in given:
        wanted = 'an object from key paths to values, such as { "args.body.id": 1 }'
        raise members.mistyped(name, given, wanted)
    for path in given:
        check_key_path(members, path, shape)
    return tuple((path, json_value(expected)) for path, expected in given.items())


def read_json(members: Members, name: str) -> Value | None:
    """A JSON value; None when it is absent."""
    given = members.optional(name)
    return None if given is None else json_value(given)


def json_value(given: Mapping[str, str]) -> Value:
    """A value of the user, which the scenario API handed over as JSON text."""
    return encode(_tagged(json.loads(given["json"])))


def _tagged(tree: Plain) -> Plain:
    """Keep the user's own key "$" from being taken for a tag."""
    if isinstance(tree, list):
        return [_tagged(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if "$" not in tree:
        return {key: _tagged(item) for key, item in tree.items()}
    return {"$": "object", "of": [[key, _tagged(item)] for key, item in tree.items()]}


def read_function(members: Members, name: str, wanted: str) -> FunctionRef:
    """A function of the scenario file that must be there."""
    given = members.raw(name, wanted)
    if not is_function(given):
        raise members.mistyped(name, given, wanted)
    return FunctionRef(given["number"])


def is_function(given: Any) -> bool:  # noqa: ANN401 - JSON, not yet checked
    """Whether a function of the scenario file stands there."""
    return isinstance(given, dict) and given.get("$eutaxy") == "function"
