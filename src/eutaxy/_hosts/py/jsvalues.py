"""JavaScript values as Python code sees them through Pyodide: `JsProxy` and its kinds.

Text, booleans, numbers and `None` (undefined) are themselves; `jsnull` is JavaScript's null;
everything else is a `JsProxy` with a `constructor.name`, by which the SDK tells the kinds apart.
"""
# ruff: noqa: N802 - names of JavaScript's own methods and properties

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from eutaxy._hosts.py.jsnumbers import number_text


class JsNull:
    """The type of `jsnull`, JavaScript's null; falsy and equal to nothing else."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "jsnull"


jsnull = JsNull()


class JsBigInt(int):
    """A JavaScript BigInt; arithmetic gives plain `int`."""


class JsProxy:
    """Any JavaScript value that is not a primitive."""

    constructor: ClassVar[Any]

    def to_py(self, *, depth: int = -1, default_converter: Any = None) -> Any:
        """Convert deeply to Python, as Pyodide does; what has no counterpart stays as it is."""
        return to_py(self, depth=depth, default_converter=default_converter)

    @property
    def typeof(self) -> str:
        """What `typeof` says of it."""
        return "function" if callable(self) else "object"

    @property
    def js_id(self) -> int:
        """A number that identifies the object while it lives."""
        return id(self)

    def toString(self) -> str:
        """JavaScript's text form."""
        return f"[object {self.constructor.name}]"

    def valueOf(self) -> Any:
        """The primitive it stands for; itself for objects."""
        return self


class JsConstructor(JsProxy):
    """A JavaScript class: `X.new(...)` and its static functions.

    Args:
        name: Its name in JavaScript.
        make: Called by `new`; keyword arguments are the trailing options object.
        statics: Static functions by name.
    """

    def __init__(self, name: str, make: Callable[..., Any], **statics: Any) -> None:
        self.name = name
        self._make = make
        for key, value in statics.items():
            setattr(self, key, value)

    def new(self, *args: Any, **options: Any) -> Any:
        """Construct one."""
        return self._make(*args, **options)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._make(*args, **options)

    def __repr__(self) -> str:
        return f"[class {self.name}]"


class JsObject(JsProxy):
    """A plain object: its properties are attributes."""

    _properties: dict[str, Any]

    def __init__(self, properties: dict[str, Any] | None = None) -> None:
        object.__setattr__(self, "_properties", properties if properties is not None else {})

    def __getattr__(self, name: str) -> Any:
        properties = object.__getattribute__(self, "_properties")
        if name in properties:
            return properties[name]
        if name.endswith("_") and keyword.iskeyword(name[:-1]) and name[:-1] in properties:
            return properties[name[:-1]]
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._properties[name] = value

    def __delattr__(self, name: str) -> None:
        if self._properties.pop(name, self) is self:
            raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._properties]

    def object_keys(self) -> JsArray:
        """`Object.keys`."""
        return JsArray(in_property_order(self._properties))

    def object_values(self) -> JsArray:
        """`Object.values`."""
        return JsArray(self._properties[key] for key in in_property_order(self._properties))

    def object_entries(self) -> JsArray:
        """`Object.entries`."""
        properties = self._properties
        return JsArray(JsArray((key, properties[key])) for key in in_property_order(properties))

    def properties_to_convert(self) -> dict[str, Any]:
        """The properties, for converting them to Python."""
        return self._properties

    def as_object_map(self) -> dict[str, Any]:
        """The properties as a mapping, live."""
        return self._properties

    def __repr__(self) -> str:
        return "[object Object]"


class JsArray(JsProxy):
    """An array; a Python sequence as well."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.items = list(items)

    @property
    def length(self) -> int:
        """Number of elements."""
        return len(self.items)

    def push(self, *items: Any) -> int:
        """Append; returns the new length."""
        self.items.extend(items)
        return len(self.items)

    append = push

    def extend(self, items: Iterable[Any]) -> None:
        """Append all."""
        self.items.extend(items)

    def toString(self) -> str:
        """Elements joined by commas."""
        return ",".join("" if each is None or each is jsnull else js_text(each) for each in self)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, index: Any) -> Any:
        return JsArray(self.items[index]) if isinstance(index, slice) else self.items[index]

    def __setitem__(self, index: int, value: Any) -> None:
        self.items[index] = value

    def __contains__(self, value: Any) -> bool:
        return value in self.items


class JsMap(JsProxy):
    """A Map, in insertion order."""

    def __init__(self, entries: Iterable[Any] = ()) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        for key, value in entries:
            self.set(key, value)

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.pairs)

    def set(self, key: Any, value: Any) -> JsMap:
        """Add or replace an entry."""
        for index, (known, _) in enumerate(self.pairs):
            if is_same(known, key):
                self.pairs[index] = (known, value)
                return self
        self.pairs.append((key, value))
        return self

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key; `default` (undefined) when it is missing."""
        return next((value for known, value in self.pairs if is_same(known, key)), default)

    def has(self, key: Any) -> bool:
        """Whether there is such a key."""
        return any(is_same(known, key) for known, _ in self.pairs)

    def keys(self) -> list[Any]:
        """All keys."""
        return [key for key, _ in self.pairs]

    def values(self) -> list[Any]:
        """All values."""
        return [value for _, value in self.pairs]

    def entries(self) -> JsArray:
        """All entries."""
        return JsArray(JsArray(pair) for pair in self.pairs)

    items = entries

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __contains__(self, key: Any) -> bool:
        return self.has(key)

    def __getitem__(self, key: Any) -> Any:
        if not self.has(key):
            raise KeyError(key)
        return self.get(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.set(key, value)


class JsSet(JsProxy):
    """A Set, in insertion order."""

    def __init__(self, members: Iterable[Any] = ()) -> None:
        self.members: list[Any] = []
        for member in members:
            self.add(member)

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    def add(self, member: Any) -> JsSet:
        """Add a member once."""
        if not self.has(member):
            self.members.append(member)
        return self

    def has(self, member: Any) -> bool:
        """Whether it is a member."""
        return any(is_same(known, member) for known in self.members)

    __contains__ = has

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.members)


class JsRegExp(JsProxy):
    """A regular expression; it only travels."""

    def __init__(self, source: str, flags: str = "") -> None:
        self.source = source
        self.flags = flags


def is_same(left: Any, right: Any) -> bool:
    """JavaScript's SameValueZero for keys: true is not 1, and objects are equal only to
    themselves."""
    if isinstance(left, JsProxy) or isinstance(right, JsProxy):
        return left is right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return (
        (type(left) is type(right) and left == right)
        or left is right
        or _is_same_number(left, right)
    )


def _is_same_number(left: Any, right: Any) -> bool:
    return isinstance(left, int | float) and isinstance(right, int | float) and left == right


def in_property_order(properties: Iterable[str]) -> list[str]:
    """Keys in the order in which JavaScript lists them: array indices ascending, then the rest."""
    keys = list(properties)
    indices = [key for key in keys if _is_array_index(key)]
    if not indices:
        return keys
    return sorted(indices, key=int) + [key for key in keys if not _is_array_index(key)]


def _is_array_index(key: str) -> bool:
    if not key or key[0] not in "0123456789":
        return False
    return (
        key.isascii() and key.isdigit() and (key == "0" or key[0] != "0") and int(key) < 2**32 - 1
    )


def js_text(value: Any) -> str:
    """`String(value)` in JavaScript."""
    if isinstance(value, str):
        return value
    if value is None:
        return "undefined"
    if value is jsnull:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, JsProxy):
        return value.toString()
    return str(value)


def to_py(value: Any, *, depth: int = -1, default_converter: Any = None) -> Any:
    """Convert a JavaScript value deeply to Python, by Pyodide's `to_py` rules."""
    seen: dict[int, Any] = {}

    def remember(source: Any, result: Any) -> None:
        seen[id(source)] = result

    def convert(each: Any, left: int = depth) -> Any:
        if not isinstance(each, JsProxy) or left == 0:
            return each
        if id(each) in seen:
            return seen[id(each)]
        kind = type(each)
        if kind is JsArray:
            items: list[Any] = []
            remember(each, items)
            items.extend(convert(item, left - 1) for item in each.items)  # type: ignore[attr-defined]
            return items
        if isinstance(each, JsObject):
            mapping: dict[Any, Any] = {}
            remember(each, mapping)
            properties = each.properties_to_convert()
            for key in in_property_order(properties):
                mapping[key] = convert(properties[key], left - 1)
            return mapping
        if kind is JsMap:
            mapping = {}
            remember(each, mapping)
            for key, item in each.pairs:  # type: ignore[attr-defined]
                mapping[convert(key, left - 1)] = convert(item, left - 1)
            return mapping
        if kind is JsSet:
            return {convert(member, left - 1) for member in each}  # type: ignore[attr-defined]
        as_memory = getattr(each, "to_memoryview", None)
        if as_memory is not None:
            return as_memory()
        if default_converter is None:
            return each
        return default_converter(each, convert, remember)

    return convert(value)


JsProxy.constructor = JsConstructor("Object", JsObject)
JsConstructor.constructor = JsConstructor("Function", JsObject)
JsMap.constructor = JsConstructor("Map", JsMap)
JsSet.constructor = JsConstructor("Set", JsSet)
JsRegExp.constructor = JsConstructor("RegExp", JsRegExp)
JsArray.constructor = JsConstructor("Array", lambda *items: JsArray(items))
