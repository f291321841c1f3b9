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
    CRASH_IN_FLIGHT = "crash_in_flight"
    """The activation dies while the call is under way; the call happens later (F-DO-13)."""
    CRASH_IDLE = "crash_idle"
    """The activation dies while it only waits (F-SL-2, F-DO-8)."""
    TIMER_LATE = "timer_late"
    """The engine starts late for a timer that is due (F-SL-3, F-SL-5)."""
    FAILED_STATUS = "failed_status"
    """The service answers with a failure status and did nothing."""
    OUTAGE = "outage"
    """The service is unreachable for a while, from this call on."""
    ANSWERS_OUTAGE = "answers_outage"
    """The service works, but its answers are lost for a while, from this call on."""
    STORE_FAILED = "store_failed"
    """The result of a step could not be stored; the attempt counts as failed (F-DO-16)."""
