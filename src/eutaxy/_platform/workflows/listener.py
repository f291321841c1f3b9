"""A subscription that waits for what happens next (R-SUB-1)."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._platform.call import Return


@dataclass(frozen=True, slots=True)
class Listener:
    """A subscription that has asked for an event that has not happened yet.

    Args:
        back: Who asked.
        cursor: Number of the last event that it knows.
        filter: Types that it wants; None: all.
    """

    back: Return
    cursor: int
    filter: tuple[str, ...] | None = None
