"""Reading source maps (version 3): from a position in bundled code to the user's file and line."""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}

Segment = tuple[int, int, int, int]
"""Column in the bundle, index of the source, line and column there; all from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A place in a source file; line and column count from 1."""

    source: str
    line: int
    column: int


class SourceMap:
    """A source map, read when it is first asked.

    Args:
        path: The map; its sources are relative to its folder.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def locate(self, line: int, column: int) -> Position | None:
        """Where a position of the bundle (both from 1) comes from.

        Returns:
            The position in a source file, as absolute path; None for code that the bundler wrote.
        """
        sources, lines = self._decoded
        if not 1 <= line <= len(lines):
            return None
        segments = lines[line - 1]
        index = bisect_right(segments, column - 1, key=lambda segment: segment[0]) - 1
        if index < 0:
            return None
        _, source, source_line, source_column = segments[index]
        return Position(source=sources[source], line=source_line + 1, column=source_column + 1)

    @cached_property
    def _decoded(self) -> tuple[list[str], list[list[Segment]]]:
        tree = json.loads(self._path.read_text(encoding="utf-8"))
        root = tree.get("sourceRoot") or ""
        folder = self._path.parent
        sources = [os.path.normpath(folder / root / source) for source in tree["sources"]]
        return sources, list(_decode(tree["mappings"]))


def _decode(mappings: str) -> Iterator[list[Segment]]:
    """One list of segments for each line of the bundle, sorted by column."""
    source = source_line = source_column = 0
    for line in mappings.split(";"):
        segments: list[Segment] = []
        column = 0
        for group in filter(None, line.split(",")):
            fields = _numbers(group)
            column += fields[0]
            if len(fields) < 4:
                continue
            source += fields[1]
            source_line += fields[2]
            source_column += fields[3]
            segments.append((column, source, source_line, source_column))
        yield segments


def _numbers(group: str) -> list[int]:
    """The base64 VLQ numbers of one segment."""
    numbers: list[int] = []
    value = shift = 0
    for character in group:
        digit = _DIGITS[character]
        value |= (digit & 31) << shift
        if digit & 32:
            shift += 5
        else:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers
