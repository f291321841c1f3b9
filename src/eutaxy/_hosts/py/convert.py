"""Python values to JavaScript, by Pyodide's rules (`to_js`), and proxies of Python objects.

Inside JavaScript containers a Python object that has no counterpart simply stays itself: that is
what Python code would see of Pyodide's proxy of it. Only the codec refuses it, where values are
cloned.
"""
# ruff: noqa: N802 - names of Pyodide's own methods

from __future__ import annotations

from typing import Any

from eutaxy._hosts.py.jsdata import JsBuffer
from eutaxy._hosts.py.jsvalues import JsArray, JsMap, JsNull, JsProxy, JsSet


class JsDoubleProxy(JsProxy):
    """What `create_proxy` returns: a handle of a Python object that JavaScript may hold."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def unwrap(self) -> Any:
        """The Python object."""
        return self._target

    def destroy(self) -> None:
        """Release it; nothing to do here."""

    def getBuffer(self, kind: str = "u8") -> BufferView:
        """The object's bytes, for `Response.new` and its like."""
        return BufferView(self._target)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._target(*args, **options)


class BufferView:
    """What `getBuffer` returns: `.data` until it is released."""

    def __init__(self, source: Any) -> None:
        self.data = JsBuffer(memoryview(source).cast("B"))

    def release(self) -> None:
        """Let go of the bytes; nothing to do here."""


def to_js(
    obj: Any,
    /,
    *,
    depth: int = -1,
    pyproxies: Any = None,
    create_pyproxies: bool = True,
    dict_converter: Any = None,
    default_converter: Any = None,
    eager_converter: Any = None,
) -> Any:
    """Convert deeply to JavaScript; see Pyodide's documentation for the arguments."""
    seen: dict[int, Any] = {}

    def remember(source: Any, result: Any) -> None:
        seen[id(source)] = result

    def convert(each: Any, left: int = depth) -> Any:
        if each is None or isinstance(each, str | bool | int | float | JsNull | JsProxy):
            return each
        if id(each) in seen:
            return seen[id(each)]
        if eager_converter is not None:
            return eager_converter(each, lambda item: by_kind(item, left), remember)
        return by_kind(each, left)

    def by_kind(each: Any, left: int) -> Any:
        if left != 0:
            if isinstance(each, list | tuple):
                array = JsArray()
                remember(each, array)
                array.extend(convert(item, left - 1) for item in each)
                return array
            if isinstance(each, dict):
                return convert_dict(each, left)
            if isinstance(each, set | frozenset):
                return JsSet(convert(member, left - 1) for member in each)
        if isinstance(each, bytes | bytearray | memoryview):
            return JsBuffer(memoryview(each).cast("B"))
        if default_converter is not None:
            return default_converter(each, convert, remember)
        return each

    def convert_dict(each: dict[Any, Any], left: int) -> Any:
        entries = JsArray()
        if dict_converter is None:
            result = JsMap()
            remember(each, result)
            for key, item in each.items():
                result.set(convert(key, left - 1), convert(item, left - 1))
            return result
        for key, item in each.items():
            entries.push(JsArray((convert(key, left - 1), convert(item, left - 1))))
        converted = dict_converter(entries)
        remember(each, converted)
        return converted

    return convert(obj)


def is_function(value: Any) -> bool:
    """Whether JavaScript would call it a function."""
    if isinstance(value, JsProxy):
        return isinstance(value, JsDoubleProxy) and callable(value.unwrap())
    return callable(value)


def unwrapped(value: Any) -> Any:
    """The Python object behind a proxy of it; anything else is itself."""
    return value.unwrap() if isinstance(value, JsDoubleProxy) else value


JsDoubleProxy.constructor = JsProxy.constructor
