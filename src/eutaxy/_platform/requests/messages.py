"""Messages between the driver and the deliveries of its requests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Begin:
    """Start handling a request.

    Args:
        index: Which request.
        copy: Which delivery among those under way.
        number: How many times it has been delivered (salts randomness; 0 where none is read).
        now_ms: Virtual time, 0 where no clock is read.
    """

    index: int
    copy: int
    number: int
    now_ms: int


@dataclass(frozen=True, slots=True)
class Ended:
    """A delivery is over.

    Args:
        index: Which request.
        copy: Which delivery among those under way.
        is_answered: The client got an answer, with a status below 500.
    """

    index: int
    copy: int
    is_answered: bool = False
