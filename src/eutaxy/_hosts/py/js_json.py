"""`JSON.parse` and `JSON.stringify` on JavaScript values."""

from __future__ import annotations

import math
from json import loads
from typing import Any

from eutaxy._hosts.py import codec, jsnumbers
from eutaxy._hosts.py.jsdata import JsDate
from eutaxy._hosts.py.jserrors import js_error
from eutaxy._hosts.py.jsnumbers import number_text
from eutaxy._hosts.py.jsvalues import (
    JsArray,
    JsNull,
    JsObject,
    JsProxy,
    in_property_order,
    js_text,
    jsnull,
)


def parse(text: Any, reviver: Any = None) -> Any:
    """`JSON.parse`; a reviver is applied as the language says."""
    try:
        tree = loads(js_text(text))
    except ValueError as error:
        raise js_error("SyntaxError", f"{error}") from None
    value = _from_json(tree)
    return value if reviver is None else _revive("", value, reviver)


def _from_json(tree: Any) -> Any:
    if tree is None:
        return jsnull
    if isinstance(tree, list):
        return JsArray(_from_json(item) for item in tree)
    if isinstance(tree, dict):
        return JsObject({key: _from_json(item) for key, item in tree.items()})
    if isinstance(tree, int | float) and not isinstance(tree, bool):
        return jsnumbers.to_python_number(tree)
    return tree


def _revive(key: str, value: Any, reviver: Any) -> Any:
    if isinstance(value, JsArray):
        for index, item in enumerate(value.items):
            value[index] = _revive(str(index), item, reviver)
    elif isinstance(value, JsObject):
        properties = value.as_object_map()
        for name in list(properties):
            properties[name] = _revive(name, properties[name], reviver)
    return reviver(key, value)


def stringify(value: Any, replacer: Any = None, space: Any = None) -> Any:
    """`JSON.stringify`; undefined for what has no JSON form."""
    if isinstance(space, str):
        indent = space[:10]
    else:
        indent = " " * min(int(space), 10) if isinstance(space, int | float) else ""
    allowed = set(replacer) if isinstance(replacer, JsArray | list) else None
    change = replacer if callable(replacer) else None
    return _Writer(indent, allowed, change).write("", value, "\n")


class _Writer:
    def __init__(self, indent: str, allowed: set[Any] | None, change: Any) -> None:
        self._indent = indent
        self._allowed = allowed
        self._change = change
        self._open: list[Any] = []

    def write(self, key: str, value: Any, line: str) -> str | None:
        if isinstance(value, JsDate):
            value = value.toJSON()
            value = jsnull if value is None else value
        elif isinstance(value, JsProxy) and callable(getattr(value, "toJSON", None)):
            value = value.toJSON()  # type: ignore[attr-defined]
        if self._change is not None:
            value = self._change(key, value)
        if value is None:
            return None
        if isinstance(value, JsNull):
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return codec.quote(value)
        if isinstance(value, int | float):
            return number_text(value) if math.isfinite(value) else "null"
        if not isinstance(value, JsProxy):
            # Pyodide's proxy of a Python object shows no properties of its own.
            return None if callable(value) else "{}"
        if any(value is each for each in self._open):
            raise js_error("TypeError", "Converting circular structure to JSON")
        self._open.append(value)
        try:
            return self._compound(value, line)
        finally:
            self._open.pop()

    def _compound(self, value: JsProxy, line: str) -> str:
        inner = line + self._indent
        if isinstance(value, JsArray):
            items = [self.write(str(n), item, inner) or "null" for n, item in enumerate(value)]
            return self._wrap("[", items, "]", line)
        properties = value.as_object_map() if isinstance(value, JsObject) else {}
        colon = ": " if self._indent else ":"
        members = []
        for key in in_property_order(properties):
            if self._allowed is not None and key not in self._allowed:
                continue
            text = self.write(key, properties[key], inner)
            if text is not None:
                members.append(f"{codec.quote(key)}{colon}{text}")
        return self._wrap("{", members, "}", line)

    def _wrap(self, opening: str, items: list[str], closing: str, line: str) -> str:
        if not items:
            return opening + closing
        if not self._indent:
            return opening + ",".join(items) + closing
        inner = line + self._indent
        return f"{opening}{inner}{f',{inner}'.join(items)}{line}{closing}"
