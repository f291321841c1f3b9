"""Values for functions of a Python scenario: plain data.

Reading: undefined and null are None; a date is a `datetime` in UTC; a Map is a dict; a Set is a
list; binary data is `bytes`; an error is a dict of name and message. Writing: what JSON can say,
`datetime` and `bytes`.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class NotWritable(Exception):
    """A value that no scenario function may return.

    Args:
        what: The part of it, as messages name it.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def read(text: str) -> Any:  # noqa: ANN401 - any value
    """The value of a tagged text."""
    return _Reader().read(json.loads(text))


class _Reader:
    """Reads a tree, counting its objects for references."""

    def __init__(self) -> None:
        self._met: list[Any] = []

    def read(self, tree: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(tree, list):
            items: list[Any] = []
            self._met.append(items)
            items += [self.read(item) for item in tree]
            return items
        if not isinstance(tree, dict):
            return tree
        if "$" not in tree:
            return self._members(tree.items())
        return self._tagged(tree)

    def _tagged(self, tree: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any value
        of = tree.get("of")
        match tree["$"]:
            case "undefined":
                return None
            case "ref":
                return self._met[tree["to"]]
            case "number":
                return -0.0 if of == "-0" else float(str(of).replace("Infinity", "inf"))
            case "bigint":
                return int(str(of))
            case "object":
                return self._members(of or ())
            case "map":
                entries: dict[Any, Any] = {}
                self._met.append(entries)
                for key, item in of or ():
                    read_key = self.read(key)
                    entries[read_key if _is_hashable(read_key) else json.dumps(key)] = self.read(
                        item
                    )
                return entries
            case "set":
                items: list[Any] = []
                self._met.append(items)
                items += [self.read(item) for item in of or ()]
                return items
        return self._leaf(tree)

    def _leaf(self, tree: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any value
        of = tree.get("of")
        value: Any = None
        match tree["$"]:
            case "date" if of is not None:
                value = _EPOCH + timedelta(milliseconds=of)
            case "bytes":
                value = base64.b64decode(of or "")
            case "regexp":
                value = f"/{tree['source']}/{tree['flags']}"
            case "error":
                value = {"name": tree["name"], "message": tree["message"]}
        self._met.append(value)
        if tree["$"] == "error":
            value.update({name: self.read(item) for name, item in (of or {}).items()})
        return value

    def _members(self, pairs: Any) -> dict[str, Any]:  # noqa: ANN401 - pairs of either form
        members: dict[str, Any] = {}
        self._met.append(members)
        members.update({name: self.read(item) for name, item in pairs})
        return members


def _is_hashable(key: object) -> bool:
    return key is None or isinstance(key, (bool, int, float, str, bytes, datetime))


def write(value: object) -> str:
    """A value as tagged text.

    Raises:
        NotWritable: It has a part that cannot be written.
    """
    return json.dumps(_tree(value, ()), ensure_ascii=False, separators=(",", ":"))


def _tree(value: object, above: tuple[int, ...]) -> object:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotWritable(repr(value))
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, datetime):
        return {"$": "date", "of": (value - _EPOCH) // timedelta(milliseconds=1)}
    if isinstance(value, (bytes, bytearray)):
        return {"$": "bytes", "as": "Uint8Array", "of": base64.b64encode(value).decode()}
    if id(value) in above:
        raise NotWritable("an object that contains itself")
    inside = (*above, id(value))
    if isinstance(value, (list, tuple)):
        return [_tree(item, inside) for item in value]
    if isinstance(value, Mapping):
        return _members(value, inside)
    raise NotWritable(f"a {type(value).__name__}")


def _members(value: Mapping[Any, object], above: tuple[int, ...]) -> object:
    for key in value:
        if not isinstance(key, str):
            raise NotWritable(f"the key {key!r}")
    if "$" in value:
        return {"$": "object", "of": [[key, _tree(item, above)] for key, item in value.items()]}
    return {key: _tree(item, above) for key, item in value.items()}
