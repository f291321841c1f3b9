"""Noting a call of the scenario API: its place, and values in the form of both languages."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Mapping
from itertools import islice

from eutaxy._base.declaration import Declaration
from eutaxy._base.value import encode
from eutaxy._declare.types import Json


def declared(kind: str, **members: object) -> Declaration:
    """Note a call of the public function that calls this, with the place of that call."""
    frame = sys._getframe(2)  # noqa: SLF001 - the place is for messages only
    code = frame.f_code
    position = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, column = position[0] or frame.f_lineno, (position[2] or 0) + 1
    return Declaration(kind, f"{code.co_filename}:{line}:{column}", members)


def with_portable_bodies(items: object) -> object:
    """Bodies become text or bytes here, as in a TypeScript scenario."""
    if not isinstance(items, (list, tuple)):
        return items
    return [
        {**item, "body": portable_body(item["body"])}
        if isinstance(item, Mapping) and "body" in item
        else item
        for item in items
    ]


def portable_body(body: bytes | Json) -> dict[str, str] | None:
    """A body as text, JSON text or base64."""
    if body is None:
        return None
    if isinstance(body, str):
        return {"text": body}
    if isinstance(body, (bytes, bytearray)):
        return {"bytes": base64.b64encode(body).decode()}
    return portable(body)


def portable(value: Json) -> dict[str, str]:
    """A value as JSON text."""
    plain = json.loads(json.dumps(value, allow_nan=False))
    return {"json": encode(plain)}


def portable_or_none(value: Json) -> dict[str, str] | None:
    """A value as JSON text; None for none."""
    return None if value is None else portable(value)


def portable_members(conditions: object) -> object:
    """An object with its values as JSON text."""
    if not isinstance(conditions, Mapping):
        return conditions
    return {name: portable(value) for name, value in conditions.items()}


def portable_items(values: object) -> object:
    """A list with its values as JSON text."""
    if not isinstance(values, (list, tuple)):
        return values
    return [portable(value) for value in values]
