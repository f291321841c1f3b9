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
    a boxed primitive (Object(7))          {"$":"boxed","of":7}
    a ReadableStream that a step returned  {"$":"stream","of":"<base64>"} and, when it gave text in
                                           place of bytes, "chunks":"text"
    RegExp                                 {"$":"regexp","source":"..","flags":".."}
    Error                                  {"$":"error","name":"..","message":".."} and, where they
                                           apply, "class":"TypeError" (built-in classes other than
                                           Error) and "of":{own properties}
    an object with the key "$" itself      {"$":"object","of":[[k,v],..]}
    something already written, cycles too  {"$":"ref","to":n}

`n` counts objects (everything that is not a primitive; undefined, bigint and numbers are
primitives) in the order in which they were first met, from 0. Numbers are written as JavaScript
writes them (`1e-7`, `1e+21`, integral ones without a fraction), lone surrogates as escapes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import NewType, TypeAlias

from eutaxy._base.js_number import number_text

Value = NewType("Value", str)
"""Canonical tagged JSON text of one value."""

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""A decoded value. Tagged things stay tagged mappings; the core only looks into them."""

UNDEFINED = Value('{"$":"undefined"}')
NULL = Value("null")


def encode(plain: Plain) -> Value:
    """Write a plain (JSON-like) Python value, or an already tagged tree, as canonical text."""
    return Value(_write(plain))


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


def _write(plain: Plain) -> str:
    if isinstance(plain, str):
        return _quote(plain)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if plain is None:
        return "null"
    if isinstance(plain, int):
        return str(plain) if abs(plain) <= _SAFE_INTEGER_MAX else number_text(float(plain))
    if isinstance(plain, float):
        return _number(plain)
    if isinstance(plain, list):
        return f"[{','.join([_write(item) for item in plain])}]"
    members = [f"{_quote(key)}:{_write(item)}" for key, item in plain.items()]
    return f"{{{','.join(members)}}}"


_SAFE_INTEGER_MAX = 2**53 - 1


def _number(value: float) -> str:
    if math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0):
        return number_text(value)
    shown = "-0" if value == 0 else number_text(value)
    return f'{{"$":"number","of":"{shown}"}}'


def _quote(text: str) -> str:
    """A string as JavaScript writes it in JSON: lone surrogates are escaped."""
    shown = _json_text(text)
    if shown.isascii() or not _SURROGATE.search(shown):
        return shown
    # Halves that meet are one character.
    whole = shown.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", whole)


_json_text = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = re.compile("[\ud800-\udfff]")
