"""Durations as Workflows reads them: a number of milliseconds, or text such as "7 days".

The platform parses text with the npm package `itty-time`, whose rules surprise: text that is a
number is milliseconds, the unit must be separated by a space, and a unit that it does not know
counts as milliseconds, so "5 min" is 5 ms. All of that is kept, and a `Duration` says when the last
rule fired.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

UNITS_MS = {
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
    "month": 2_592_000_000,
    "year": 31_557_600_000,
}
"""Known units, singular; a month is 30 days, a year 365.25."""

# JavaScript's white space and line ends, which Number() trims.
_JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DECIMAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_WITH_UNIT = re.compile(r"([^ ]+) +(\w\w*?)s?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """What a duration means.

    Args:
        ms: Whole milliseconds (a fraction is dropped: the model's clock has none); negative when
            the user wrote so. None when it is no duration: not a number, or infinite.
        unknown_unit: The unit that was read as milliseconds because the platform does not know
            it; empty when that rule did not fire.
    """

    ms: int | None
    unknown_unit: str = ""


def parse_duration(written: float | str) -> Duration:
    """Read a duration exactly as the platform does.

    Args:
        written: Milliseconds as a number, or text.
    Source:
        workflows-engine 1.6 (A, executed): `ms()` of itty-time 2.0.2.
    """
    if not isinstance(written, str):
        return Duration(ms=_whole(written))
    number = _js_number(written)
    if not math.isnan(number):
        return Duration(ms=_whole(number))
    parts = _WITH_UNIT.fullmatch(written)
    if parts is None:
        return Duration(ms=None)
    number, unit = _js_number(parts[1]), parts[2]
    factor = UNITS_MS.get(unit)
    if factor is not None:
        # Binary floating point on purpose: the platform multiplies JavaScript numbers.
        return Duration(ms=_whole(number * factor))
    # "5 ms" reaches here as the unit "m" with a plural "s"; it does mean milliseconds.
    is_meant = unit == "m" and written.endswith("ms")
    return Duration(ms=_whole(number), unknown_unit="" if is_meant else unit)


def _whole(number: float) -> int | None:
    return int(number) if math.isfinite(number) else None


def _js_number(text: str) -> float:
    """What JavaScript's `Number(text)` gives."""
    trimmed = text.strip(_JS_SPACE)
    if not trimmed:
        return 0.0
    if _DECIMAL.fullmatch(trimmed):
        return float(trimmed)
    if _RADIX.fullmatch(trimmed):
        return float(int(trimmed, 0))
    return math.nan
