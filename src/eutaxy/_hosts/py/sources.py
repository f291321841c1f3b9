"""Whose code a file is, and how a position in it is written: the same on every machine.

User modules are compiled under their path relative to the project folder, so that whatever shows a
position (a traceback that user code formats itself, too) shows the same text everywhere.
"""

from __future__ import annotations

import os
import sys
from enum import Enum
from types import FrameType
from typing import NamedTuple


class Whose(Enum):
    """Who wrote a source file."""

    USER = "user"
    PACKAGE = "package"
    STANDARD = "standard"
    HOST = "host"


class Source(NamedTuple):
    """A source file: whose it is, and its path as messages show it (relative, with slashes)."""

    whose: Whose
    shown: str


_PACKAGE_FOLDERS = ("site-packages", "dist-packages", "python_modules")
_FOREIGN_FOLDERS = frozenset({"node_modules", ".venv", ".venv-workers", "venv", *_PACKAGE_FOLDERS})
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120


class Sources:
    """Tells user code from the rest.

    Args:
        root: The project folder.
        import_root: The folder of the main module; may lie outside of `root` only by mistake, and
            is
            then taken for the project itself.
        sdk_folder: Where the SDK that comes with eutaxy lies.
    """

    def __init__(self, root: str, import_root: str, sdk_folder: str) -> None:
        is_inside = (import_root + os.sep).startswith(root.rstrip(os.sep) + os.sep)
        self.root = root.rstrip(os.sep) if is_inside else import_root
        self.import_root = import_root
        self._sdk = sdk_folder.rstrip(os.sep) + os.sep
        self._known: dict[str, Source] = {}

    def of(self, filename: str) -> Source:
        """Whose file it is, and how it is shown."""
        source = self._known.get(filename)
        if source is None:
            source = self._known[filename] = self._judge(filename)
        return source

    def adopt(self, path: str) -> str:
        """The name that the user module in the file `path` is to be compiled under."""
        name = path[len(self.root) + 1 :].replace(os.sep, "/")
        self._known[name] = Source(Whose.USER, name)
        return name

    def place(self, filename: str, line: int) -> str:
        """`file:line`."""
        return f"{self.of(filename).shown}:{line}"

    def user_site(self, frame: FrameType | None) -> str:
        """Position of the innermost user frame from `frame` outwards; empty when there is none."""
        known = self._known
        while frame is not None:
            filename = frame.f_code.co_filename
            source = known.get(filename) or self.of(filename)
            if source.whose is Whose.USER:
                return f"{source.shown}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    def caller_of_standard_code(self, frame: FrameType | None) -> Source | None:
        """Who, beyond the standard library and the host, caused this call; None when nobody did."""
        while frame is not None:
            source = self.of(frame.f_code.co_filename)
            if source.whose in {Whose.USER, Whose.PACKAGE}:
                return source
            frame = frame.f_back
        return None

    def _judge(self, filename: str) -> Source:
        if filename.startswith(_OWN_FOLDER):
            return Source(Whose.HOST, os.path.basename(filename))  # noqa: PTH119
        parts = filename.split(os.sep)  # noqa: PTH206 - called for many files
        for folder in _PACKAGE_FOLDERS:
            if folder in parts:
                last = len(parts) - 1 - parts[::-1].index(folder)
                return Source(Whose.PACKAGE, "/".join(parts[last + 1 :]))
        if filename.startswith(self._sdk):
            return Source(Whose.PACKAGE, filename[len(self._sdk) :].replace(os.sep, "/"))
        return Source(Whose.STANDARD, os.path.basename(filename))  # noqa: PTH119

    def is_user_file(self, path: str) -> bool:
        """Whether the file lies in the project, outside of the folders that hold dependencies."""
        if not path.startswith(self.root + os.sep):
            return False
        folders = path[len(self.root) + 1 :].split(os.sep)[:-1]  # noqa: PTH206 - as above
        return not _FOREIGN_FOLDERS.intersection(folders)


def calling_frame(depth: int = 1) -> FrameType:
    """The frame `depth` calls above the caller of this function."""
    return sys._getframe(depth + 1)  # noqa: SLF001 - what inspect.currentframe returns, from a depth
