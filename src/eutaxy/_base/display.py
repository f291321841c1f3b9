"""Values as readers of JavaScript expect to see them: `{id: "exp-1", at: Date 2026-10-01T09:00Z}`.

The tagged text of `_base.value` is exact and unreadable; this is readable, and nothing parses it.
Control characters and other invisible ones are always escaped, so that no value can move the cursor
or fake a line of a report.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from eutaxy._base.value import Plain, Value, decode

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_MS_PER_DAY = 86_400_000

_Entry: TypeAlias = tuple[str, tuple[Plain, ...]]
"""One entry between brackets: its label ("name: ", or nothing), and a value, or key and value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a value is shown; what is left out is replaced by `…` and a count.

    Args:
        text_max: Most characters of one string.
        items_max: Most entries of one array, object, map or set.
        depth_max: Most levels of nesting.
        bytes_max: Most bytes of one buffer.
    """

    text_max: int
    items_max: int
    depth_max: int
    bytes_max: int


BRIEF = Limits(text_max=120, items_max=12, depth_max=5, bytes_max=16)
FULL = Limits(text_max=2**62, items_max=2**62, depth_max=100, bytes_max=2**62)
"""Everything, down to a depth at which no reader follows and recursion would."""


def display(value: Value, *, limits: Limits = BRIEF) -> str:
    """Show a value on one line.

    Args:
        value: Canonical tagged text.
        limits: What to leave out.

    Returns:
        Text without line breaks and without invisible characters.
    """
    return _Display(limits, _referred(decode(value))).show(decode(value), 0)


def visible(text: str) -> str:
    """Escape what a terminal would not show as itself (control characters, lone surrogates)."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def quoted(text: str) -> str:
    """Write text as a JavaScript string literal, with the quotes that need fewer escapes."""
    quote = "'" if '"' in text and "'" not in text else '"'
    escaped = "".join(
        f"\\{char}"
        if char == quote
        else _SHORT_ESCAPES[char]
        if char in _SHORT_ESCAPES
        else char
        if char.isprintable()
        else _escaped(char)
        for char in text
    )
    return f"{quote}{escaped}{quote}"


def iso_date(epoch_ms: int) -> str:
    """Write a time as `Date.prototype.toISOString` does (years beyond 9999 get a sign)."""
    days, ms = divmod(epoch_ms, _MS_PER_DAY)
    year, month, day = _civil(days)
    seconds, ms = divmod(ms, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms:03}"
    if 0 <= year <= 9999:
        return f"{year:04}-{month:02}-{day:02}T{clock}Z"
    return f"{'-' if year < 0 else '+'}{abs(year):06}-{month:02}-{day:02}T{clock}Z"


def _civil(days: int) -> tuple[int, int, int]:
    """Turn days since 1970-01-01 into year, month and day (proleptic Gregorian).

    Counts from 1 March of the year 0, in eras of 400 years, so that leap days come last.
    """
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = era * 400 + year_of_era + (1 if month <= 2 else 0)
    return year, month, day


def _escaped(char: str) -> str:
    code = ord(char)
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\u{{{code:x}}}"


def _is_tagged(part: Plain, *tags: str) -> bool:
    return isinstance(part, dict) and part.get("$") in tags


def _parts(part: Plain) -> list[Plain]:
    """List the values directly inside a value, in the order of the codec."""
    if isinstance(part, list):
        return part
    if not isinstance(part, dict):
        return []
    if "$" not in part:
        return list(part.values())
    tag, inner = part["$"], part.get("of")
    if tag == "error" and isinstance(inner, dict):
        return list(inner.values())
    if tag == "set" and isinstance(inner, list):
        return inner
    if tag == "map" and isinstance(inner, list):
        return [item for pair in inner if isinstance(pair, list) for item in pair]
    if tag == "object" and isinstance(inner, list):
        return [item for _, item in _pairs(inner)]
    return []


def _walk(part: Plain) -> Iterator[Plain]:
    """Visit a value and everything inside it, however deep."""
    open_parts = [part]
    while open_parts:
        visited = open_parts.pop()
        yield visited
        open_parts.extend(reversed(_parts(visited)))


def _is_object(part: Plain) -> bool:
    """Say whether the codec gives this part a number."""
    return isinstance(part, list | dict) and not _is_tagged(part, *_PRIMITIVES)


def _referred(tree: Plain) -> frozenset[int]:
    """Collect the object numbers that some `ref` points to."""
    return frozenset(
        target
        for part in _walk(tree)
        if isinstance(part, dict) and part.get("$") == "ref"
        for target in (part.get("to"),)
        if isinstance(target, int)
    )


@dataclass(slots=True)
class _Display:
    """One pass over a tree, counting objects as the codec does (in the order they are met)."""

    limits: Limits
    referred: frozenset[int]
    met: int = field(default=0)

    def show(self, part: Plain, depth: int) -> str:
        if part is None:
            return "null"
        if isinstance(part, bool):
            return "true" if part else "false"
        if isinstance(part, int | float):
            return str(part)
        if isinstance(part, str):
            return self._text(part)
        if not _is_object(part):
            assert isinstance(part, dict)
            return _PRIMITIVES[str(part["$"])](part)
        number, self.met = self.met, self.met + 1
        label = f"<{number}> " if number in self.referred else ""
        return label + (
            f"[{self._entries(_items(part), depth)}]"
            if isinstance(part, list)
            else self._mapping(part, depth)
        )

    def _mapping(self, part: dict[str, Plain], depth: int) -> str:
        tag, inner = part.get("$"), part.get("of")
        if tag == "date":
            return f"Date {iso_date(inner)}" if isinstance(inner, int) else "Date (invalid)"
        if tag == "bytes":
            return self._bytes(str(part.get("as")), str(inner))
        if tag == "regexp":
            return f"/{visible(str(part.get('source')))}/{visible(str(part.get('flags')))}"
        if tag == "error":
            return self._error(part, depth)
        if tag == "map" and isinstance(inner, list):
            return f"Map({len(inner)}) {{{self._entries(_map_entries(inner), depth)}}}"
        if tag == "set" and isinstance(inner, list):
            return f"Set({len(inner)}) {{{self._entries(_items(inner), depth)}}}"
        return f"{{{self._entries(self._properties(_properties(part)), depth)}}}"

    def _error(self, part: dict[str, Plain], depth: int) -> str:
        message = self._cut(visible(str(part.get("message"))))
        head = f"{visible(str(part.get('name')))}: {message}"
        own = part.get("of")
        if isinstance(own, dict) and own:
            return f"{head} {{{self._entries(self._properties(list(own.items())), depth)}}}"
        return head

    def _bytes(self, kind: str, text: str) -> str:
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return f"{visible(kind)} (not base64: {self._text(text)})"
        rest = "…" if len(data) > self.limits.bytes_max else ""
        return f"{visible(kind)}({len(data)}) <{data[: self.limits.bytes_max].hex(' ')}{rest}>"

    def _text(self, text: str) -> str:
        if len(text) <= self.limits.text_max:
            return quoted(text)
        return f"{quoted(text[: self.limits.text_max])}… ({len(text):,} characters)"

    def _cut(self, text: str) -> str:
        return text if len(text) <= self.limits.text_max else f"{text[: self.limits.text_max]}…"

    def _properties(self, pairs: Sequence[tuple[str, Plain]]) -> list[_Entry]:
        return [
            (f"{key if _IDENTIFIER.fullmatch(key) else self._text(key)}: ", (item,))
            for key, item in pairs
        ]

    def _entries(self, entries: Sequence[_Entry], depth: int) -> str:
        limit = self.limits.items_max if depth < self.limits.depth_max else 0
        shown = [
            prefix + " => ".join(self.show(part, depth + 1) for part in parts)
            for prefix, parts in entries[:limit]
        ]
        left_out = entries[limit:]
        if left_out:
            # They may hold objects that later references count.
            self.met += sum(
                _is_object(inner)
                for _, parts in left_out
                for part in parts
                for inner in _walk(part)
            )
            shown.append(f"… {len(left_out):,} more" if shown else "…")
        return ", ".join(shown)


def _items(items: Sequence[Plain]) -> list[_Entry]:
    return [("", (item,)) for item in items]


def _map_entries(pairs: Sequence[Plain]) -> list[_Entry]:
    return [("", tuple(pair)) for pair in pairs if isinstance(pair, list)]


def _properties(part: dict[str, Plain]) -> list[tuple[str, Plain]]:
    inner = part.get("of")
    if part.get("$") == "object" and isinstance(inner, list):
        return _pairs(inner)
    return list(part.items())


def _pairs(items: Iterable[Plain]) -> list[tuple[str, Plain]]:
    return [(str(pair[0]), pair[1]) for pair in items if isinstance(pair, list) and len(pair) == 2]


_PRIMITIVES: dict[str, Callable[[dict[str, Plain]], str]] = {
    "undefined": lambda _: "undefined",
    "number": lambda part: visible(str(part.get("of"))),
    "bigint": lambda part: f"{visible(str(part.get('of')))}n",
    "ref": lambda part: f"<see {part.get('to')}>",
}
