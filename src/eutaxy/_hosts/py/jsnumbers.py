"""JavaScript numbers: what Python gets for them."""

from __future__ import annotations

from eutaxy._base.js_number import number_text

SAFE_INTEGER_MAX = 2**53 - 1
"""The largest integer that JavaScript can tell from its neighbours."""


def to_python_number(value: float) -> float:
    """A JavaScript number as Pyodide hands it over: safe integers become `int`."""
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER_MAX else float(value)
    if value.is_integer() and abs(value) <= SAFE_INTEGER_MAX:
        return int(value)
    return value


__all__ = ["SAFE_INTEGER_MAX", "number_text", "to_python_number"]
