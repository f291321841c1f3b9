"""Values that cross between user code, the model and the report: the tagged codec.

A `Value` is text: compact JSON in which everything that plain JSON cannot say is an object with the
key `$`. Text is hashable, exact and the same in every host, so the core can intern it and compare
it without understanding it. Both hosts write and read the same form:

    null true "text" 12.5 [..] {..}        themselves (object keys keep their order)
    undefined                              {"$":"undefined"}
    NaN, Infinity, -Infinity, -0           {"$":"number","of":"NaN"}
    123n                                   {"$":"bigint","of":"123"}
    Date                                   {"$":"date","of":<epoch ms, or null when invalid>}
    Map / Set                              {"$":"map","of":[[k,v],..]} / {"$":"set","of":[..]}
    ArrayBuffer, typed arrays, DataView    {"$":"bytes","as":"Uint8Array","of":"<base64>"}
    RegExp                                 {"$":"regexp","source":"..","flags":".."}
    Error                                  {"$":"error","name":"..","message":".."} and, where they
                                           apply, "class":"TypeError" (built-in classes other than
                                           Error) and "of":{own properties}
    an object with the key "$" itself      {"$":"object","of":[[k,v],..]}
    something already written, cycles too  {"$":"ref","to":n}

`n` counts objects (everything that is not a primitive; undefined, bigint and numbers are
primitives) in the order in which they were first met, from 0. Integral numbers are written without
a fraction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NewType, TypeAlias

Value = NewType("Value", str)
"""Canonical tagged JSON text of one value."""

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""A decoded value. Tagged things stay tagged mappings; the core only looks into them."""

UNDEFINED = Value('{"$":"undefined"}')
NULL = Value("null")


def encode(plain: Plain) -> Value:
    """Write a plain (JSON-like) Python value, or an already tagged tree, as canonical text."""
    return Value(json.dumps(_canonical(plain), ensure_ascii=False, separators=(",", ":")))


def decode(value: Value) -> Plain:
    """Read canonical text back; tagged things come back as mappings with the key `$`."""
    plain: Plain = json.loads(value)
    return plain


def error_value(name: str, message: str, properties: Mapping[str, Plain] | None = None) -> Value:
    """The value of an error made by the model (a lost call, an engine error)."""
    tree: dict[str, Plain] = {"$": "error", "name": name, "message": message}
    if name in BUILT_IN_ERRORS:
        tree["class"] = name
    if properties:
        tree["of"] = dict(properties)
    return encode(tree)


BUILT_IN_ERRORS = frozenset(
    {"EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"}
)


def _canonical(plain: Plain) -> Plain:
    if isinstance(plain, float) and plain.is_integer() and abs(plain) < 2**53:
        return int(plain)
    if isinstance(plain, list):
        return [_canonical(item) for item in plain]
    if isinstance(plain, dict):
        return {key: _canonical(item) for key, item in plain.items()}
    return plain
