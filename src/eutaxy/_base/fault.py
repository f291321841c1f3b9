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
    ATTEMPT_KILLED = "attempt_killed"
    """A step attempt is ended in the middle of a call, as for using too much processor time; it
    fails, and the call happens later (R-LIM-2)."""
    DEPLOYED = "deployed"
    """A new version of the code comes in the middle: from the next lifetime on an instance runs the
    class that the scenario names for it (F-RUN-5)."""
    QUEUED_LONG = "queued_long"
    """An instance that may start is queued for long first (F-ST-2, F-LC-9)."""
    EVENT_AGAIN = "event_again"
    """A new lifetime is handed events again that an earlier one consumed (F-EV-6)."""
    CRASH_SLEEP_NOTED = "crash_sleep_noted"
    """The engine dies when it has noted a sleep and not its timer: it is skipped (F-SL-1)."""
    CRASH_WAIT_NOTED = "crash_wait_noted"
    """The engine dies when it has noted a wait and not its deadline, which begins anew
    (F-EV-13)."""
    CRASH_RUN_LOGGED = "crash_run_logged"
    """The engine dies when it has logged that `run` succeeded, and not the status (F-RUN-8)."""
    RESTART_HALF = "restart_half"
    """A `restart` aborts the engine, and starts no new one; the call fails (F-LC-8)."""
    RETENTION_OVER = "retention_over"
    """An instance that has ended is forgotten, and its id is free again (F-CR-8)."""
    STATUS_STALE = "status_stale"
    """`status()` answers what was true before, or "unknown" (F-LC-11)."""


OPTIONAL = (
    Fault.ATTEMPT_KILLED,
    Fault.DEPLOYED,
    Fault.QUEUED_LONG,
    Fault.EVENT_AGAIN,
    Fault.CRASH_SLEEP_NOTED,
    Fault.CRASH_WAIT_NOTED,
    Fault.CRASH_RUN_LOGGED,
    Fault.RESTART_HALF,
    Fault.RETENTION_OVER,
    Fault.STATUS_STALE,
)
"""Faults that strike only where the bounds name them ("opt" in 4.2)."""
