"""The misfortunes that the search may inject, under the names that reports print."""

from __future__ import annotations

from enum import Enum


class Fault(Enum):
    """One kind of platform misfortune."""

    CRASH_BEFORE = "crash_before"
    """The activation dies before the effect happened."""
    CRASH_AFTER = "crash_after"
    """The activation dies after the effect happened and before its answer reached the code."""
    REQUEST_LOST = "request_lost"
    """The call fails and did nothing."""
    ANSWER_LOST = "answer_lost"
    """The call did its work and then fails."""
    ANSWER_LATE = "answer_late"
    """The call did its work; the answer arrives only after time has passed."""
    STORE_FAILED = "store_failed"
    """The result of a step could not be stored; the attempt counts as failed (F-DO-16)."""
