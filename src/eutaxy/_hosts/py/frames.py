"""Frames of the host protocol: a 4-byte big-endian length, then that many bytes of UTF-8 JSON.

Functions of the standard library are taken by name, here and wherever the host uses them while user
code runs: user code may replace them in their modules.
"""

from __future__ import annotations

import os
from json import dumps, loads
from typing import Any


class Channel:
    """The child's end of the two pipes; blocking reads and writes.

    Args:
        read_fd: Descriptor that questions come from.
        write_fd: Descriptor that answers go to.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd

    def receive(self) -> dict[str, Any] | None:
        """The next question; None when the parent has closed the pipe."""
        head = self._read(4)
        if head is None:
            return None
        body = self._read(int.from_bytes(head, "big"))
        if body is None:
            return None
        question: dict[str, Any] = loads(body)
        return question

    def send(self, answer: dict[str, Any]) -> None:
        """Write one answer."""
        body = dumps(answer, separators=(",", ":")).encode()
        data = memoryview(len(body).to_bytes(4, "big") + body)
        while data:
            data = data[os.write(self._write_fd, data) :]

    def _read(self, length: int) -> bytes | None:
        parts: list[bytes] = []
        while length > 0:
            part = os.read(self._read_fd, min(length, 1 << 20))
            if not part:
                return None
            parts.append(part)
            length -= len(part)
        return b"".join(parts)
