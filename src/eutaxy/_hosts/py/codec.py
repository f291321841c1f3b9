"""Value texts: the tagged JSON in which values cross between the child and its parent.

Reading gives values as Python sees them through Pyodide (`jsvalues`); writing is the structured
clone: what JavaScript could not clone is refused by name.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from json import dumps, loads
from typing import Any

from eutaxy._hosts.py.convert import is_function, unwrapped
from eutaxy._hosts.py.jsdata import JsBuffer, JsDate
from eutaxy._hosts.py.jserrors import BUILT_IN_ERRORS, JsException
from eutaxy._hosts.py.jsnumbers import SAFE_INTEGER_MAX, number_text, to_python_number
from eutaxy._hosts.py.jsvalues import (
    JsArray,
    JsBigInt,
    JsMap,
    JsNull,
    JsObject,
    JsProxy,
    JsRegExp,
    JsSet,
    in_property_order,
    js_text,
    jsnull,
)
from eutaxy._hosts.py.reports import Unmodelled

UNDEFINED = '{"$":"undefined"}'


class NotCloneable(Exception):
    """A value that structured cloning refuses.

    Args:
        what: The part that cannot be cloned, as the report names it.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def encode(value: Any, *, functions_as_objects: bool = False) -> str:
    """Write a value as text.

    Args:
        value: The value.
        functions_as_objects: Write functions as `{}` (for step configurations, where they are
            merely
            of a wrong type).

    Raises:
        NotCloneable: Something in it cannot be cloned (a function, a Python object).
    """
    return _Writer(functions_as_objects=functions_as_objects).write(value)


def decode(text: str) -> Any:
    """Read a value from its text."""
    return from_tree(loads(text))


def from_tree(tree: Any) -> Any:
    """Read a value from parsed text."""
    return _Reader().read(tree)


def quote(text: str) -> str:
    """A string as JSON, lone surrogates escaped, as JavaScript writes it."""
    shown = dumps(text, ensure_ascii=False)
    try:
        shown.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in shown)
    return shown


class _Writer:
    def __init__(self, *, functions_as_objects: bool) -> None:
        self._functions_as_objects = functions_as_objects
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []

    def write(self, value: Any) -> str:
        if value is None:
            return UNDEFINED
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return quote(value)
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, float):
            return self._number(value)
        if isinstance(value, JsNull):
            return "null"
        if self._functions_as_objects and is_function(value):
            return "{}"
        if not isinstance(value, JsProxy):
            raise NotCloneable(describe(value))
        known = self._numbers.get(id(value))
        if known is not None:
            return f'{{"$":"ref","to":{known}}}'
        self._numbers[id(value)] = len(self._numbers)
        self._kept.append(value)
        return self._object(value)

    def _integer(self, value: int) -> str:
        if isinstance(value, JsBigInt) or abs(value) > SAFE_INTEGER_MAX:
            return f'{{"$":"bigint","of":"{int(value)}"}}'
        return int.__repr__(int(value))

    def _number(self, value: float) -> str:
        if math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0):
            return number_text(value)
        shown = "-0" if value == 0 else number_text(value)
        return f'{{"$":"number","of":"{shown}"}}'

    def _object(self, value: JsProxy) -> str:
        if isinstance(value, JsObject):
            return self._plain(value)
        if isinstance(value, JsArray):
            return f"[{','.join(self.write(item) for item in value)}]"
        if isinstance(value, JsException):
            return self._error(value)
        if isinstance(value, JsDate):
            return f'{{"$":"date","of":{"null" if value.ms is None else value.ms}}}'
        if isinstance(value, JsMap):
            pairs = ",".join(f"[{self.write(key)},{self.write(item)}]" for key, item in value.pairs)
            return f'{{"$":"map","of":[{pairs}]}}'
        if isinstance(value, JsSet):
            return f'{{"$":"set","of":[{",".join(self.write(member) for member in value)}]}}'
        if isinstance(value, JsBuffer):
            data = b64encode(value.data).decode()
            return f'{{"$":"bytes","as":"{value.kind}","of":"{data}"}}'
        if isinstance(value, JsRegExp):
            return f'{{"$":"regexp","source":{quote(value.source)},"flags":{quote(value.flags)}}}'
        if value.constructor.name == "ReadableStream":
            raise Unmodelled("a ReadableStream as a value", "return the bytes or the text instead")
        raise NotCloneable(describe(value))

    def _plain(self, value: JsObject) -> str:
        properties = value.as_object_map()
        keys = in_property_order(properties)
        if "$" in properties:
            pairs = ",".join(f"[{quote(key)},{self.write(properties[key])}]" for key in keys)
            return f'{{"$":"object","of":[{pairs}]}}'
        return f"{{{','.join(f'{quote(key)}:{self.write(properties[key])}' for key in keys)}}}"

    def _error(self, value: JsException) -> str:
        shown = f'{{"$":"error","name":{quote(value.name)},"message":{quote(value.message)}'
        if value.name in BUILT_IN_ERRORS:
            shown += f',"class":{quote(value.name)}'
        if value.properties:
            pairs = (f"{quote(key)}:{self.write(item)}" for key, item in value.properties.items())
            shown += f',"of":{{{",".join(pairs)}}}'
        return shown + "}"


def describe(value: Any) -> str:
    """How a report names something that cannot be cloned."""
    if is_function(value):
        return f"function {getattr(unwrapped(value), '__name__', '(anonymous)')}"
    if isinstance(value, JsProxy):
        return f"an object of class {value.constructor.name}"
    return f"a Python object of class {type(value).__qualname__}"


class _Reader:
    def __init__(self) -> None:
        self._objects: list[Any] = []

    def read(self, tree: Any) -> Any:
        if tree is None:
            return jsnull
        if isinstance(tree, bool | str):
            return tree
        if isinstance(tree, int | float):
            return to_python_number(tree)
        if isinstance(tree, list):
            array = self._met(JsArray())
            array.extend(self.read(item) for item in tree)
            return array
        tag = tree.get("$")
        if tag is None:
            return self._pairs(tree.items())
        return self._tagged(tag, tree)

    def _met(self, value: Any) -> Any:
        self._objects.append(value)
        return value

    def _pairs(self, pairs: Any) -> Any:
        result = self._met(JsObject())
        properties = result.as_object_map()
        for key, item in pairs:
            properties[key] = self.read(item)
        return result

    def _tagged(self, tag: str, tree: dict[str, Any]) -> Any:
        match tag:
            case "undefined":
                return None
            case "number":
                return to_python_number(float(tree["of"].replace("Infinity", "inf")))
            case "bigint":
                return JsBigInt(tree["of"])
            case "date":
                return self._met(JsDate(tree["of"]))
            case "map":
                result = self._met(JsMap())
                for key, item in tree["of"]:
                    result.set(self.read(key), self.read(item))
                return result
            case "set":
                members = self._met(JsSet())
                for member in tree["of"]:
                    members.add(self.read(member))
                return members
            case "bytes":
                return self._met(JsBuffer(b64decode(tree["of"]), tree["as"]))
            case "regexp":
                return self._met(JsRegExp(tree["source"], tree["flags"]))
            case "error":
                return self._error(tree)
            case "object":
                return self._pairs(tree["of"])
            case "ref":
                return self._objects[tree["to"]]
        raise ValueError(f"unknown tag {tag!r}")

    def _error(self, tree: dict[str, Any]) -> JsException:
        error = self._met(JsException(tree["name"], tree["message"]))
        for key, item in tree.get("of", {}).items():
            error.properties[key] = self.read(item)
        assert isinstance(error, JsException)
        return error


def thrown(value: Any) -> JsException:
    """The exception that Python code gets for a value thrown by JavaScript (any value may be)."""
    if isinstance(value, JsException):
        return value
    if isinstance(value, str):
        return JsException("Error", value)
    shown = js_text(value)
    kind = value.typeof if isinstance(value, JsProxy) else type(value).__name__
    return JsException("Error", f"A value of type {kind} was thrown as an error: {shown}")
