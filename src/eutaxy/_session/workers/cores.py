"""How many processes search when nothing is said."""

from __future__ import annotations

import os

CORES_MAX = 8
"""Most processes that are used unasked: each keeps worlds of its own in memory."""


def usable_cores() -> int:
    """The cores that this process may use, at most `CORES_MAX`."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return min(count, CORES_MAX)
