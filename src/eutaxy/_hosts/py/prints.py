"""What user code prints: each line of standard output and standard error is one print."""

from __future__ import annotations

import io
import sys

from eutaxy._hosts.py.moment import Phase, moment


class _Lines(io.RawIOBase):
    """Collects bytes into lines."""

    def __init__(self) -> None:
        self._pending = b""

    def writable(self) -> bool:
        """It is for writing."""
        return True

    def write(self, data: object, /) -> int:
        """Take bytes; complete lines become prints."""
        given = bytes(data)  # type: ignore[call-overload]
        *lines, self._pending = (self._pending + given).split(b"\n")
        for line in lines:
            self._print(line)
        return len(given)

    def finish(self) -> None:
        """What was written without a line end is a print too."""
        pending, self._pending = self._pending, b""
        if pending:
            self._print(pending)

    @staticmethod
    def _print(line: bytes) -> None:
        if moment.phase in {Phase.IMPORT, Phase.RUN}:
            moment.prints.append(line.decode("utf-8", "replace"))


_streams: list[_Lines] = []


def capture_prints() -> None:
    """Make `sys.stdout` and `sys.stderr` collect prints."""
    for name in ("stdout", "stderr"):
        lines = _Lines()
        _streams.append(lines)
        text = io.TextIOWrapper(lines, encoding="utf-8", errors="replace", write_through=True)  # type: ignore[type-var]
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)


def flush_prints() -> None:
    """A move has ended."""
    for stream in _streams:
        stream.finish()
