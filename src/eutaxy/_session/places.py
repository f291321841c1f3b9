"""Positions in running code, as the user's files and lines."""

from __future__ import annotations

import os
import re

from eutaxy._hosts.source_map import SourceMap
from eutaxy._session.worker import Worker

_IN_BUNDLE = re.compile(r"(\d+):(\d+)")


class Places:
    """Maps raw places of one Worker.

    Args:
        worker: The Worker; its source map is read when a place is first asked for.
    """

    def __init__(self, worker: Worker) -> None:
        self._root = worker.root
        self._map = SourceMap(worker.source_map) if worker.source_map is not None else None

    def shown(self, raw: str) -> str:
        """The user's "file:line:column" for a raw place; the place itself when it is no raw one."""
        position = _IN_BUNDLE.fullmatch(raw)
        if position is None or self._map is None:
            return raw
        found = self._map.locate(int(position[1]), int(position[2]))
        if found is None:
            return ""
        return f"{os.path.relpath(found.source, self._root)}:{found.line}:{found.column}"
