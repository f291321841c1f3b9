"""How JavaScript writes numbers; the Python host uses it too."""

from __future__ import annotations

import math


def number_text(value: float) -> str:
    """A number as JavaScript writes it (`1e+21`, `1e-7`, `100000000000000000000`).

    An `int` is written with all of its digits: the caller decides whether it is a number or a
    BigInt.
    """
    if isinstance(value, int):
        return int.__repr__(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = point - 1
    shown = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{sign}{shown}e{'+' if power > 0 else '-'}{abs(power)}"
