"""The line on a terminal that shows how far a search is; nothing of it is left behind."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from eutaxy._base.display import visible
from eutaxy._report.text import at_most, counted
from eutaxy._session.watch import Progress

FIRST_AFTER_S = 0.4
"""A check that is over by then shows no line."""

EVERY_S = 0.1
"""Seconds between two states of the line."""

_COLUMNS = 80
_ERASE = "\r\x1b[K"


def wants_line(stream: TextIO) -> bool:
    """Whether somebody watches: a terminal that can erase, and no CI."""
    if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
        return False
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


class LiveLine:
    """A line that is written over and over again, and erased in the end.

    Args:
        stream: The terminal.
        clock: Seconds.
    """

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._next = clock() + FIRST_AFTER_S
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_shown:
            self._write(_ERASE)

    def show(self, progress: Progress) -> None:
        """Show how far the search is, unless the line was renewed just now."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + EVERY_S
        self._is_shown = True
        self._write(_ERASE + progress_text(progress)[: self._columns() - 1])

    def say(self, text: str) -> None:
        """Write a line that stays."""
        self._write(f"{_ERASE}{visible(text)}\n")

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        except OSError:
            return _COLUMNS

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            # A terminal that has gone away changes no verdict.
            self._next = float("inf")
            self._is_shown = False


def progress_text(progress: Progress) -> str:
    """How far a search is, in one line."""
    speed = progress.transitions * 1000 // max(1, progress.elapsed_ms)
    # What a narrow terminal cuts off is what matters least.
    return (
        f"{-(-progress.left_ms // 1000):,} s left, {at_most(progress.level)}: "
        f"{counted(progress.worlds, 'world')}, {counted(progress.transitions, 'transition')} "
        f"({speed:,}/s)"
    )
