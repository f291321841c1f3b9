"""The log of an instance: what subscriptions tell (R-SUB-1).

It is kept only once something subscribes, since instances with different pasts are never equal
then. Names and order of the entries are those of the local engine.
"""

from __future__ import annotations

from collections.abc import Iterable

from eutaxy._base.code import Outcome, Returned
from eutaxy._base.value import UNDEFINED, Plain, Value, encode
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.config import StepConfig
from eutaxy._platform.workflows.state import Key, Kind, LogEntry, Status

DYNAMIC = "[dynamic]"
"""What stands for a delay that is a function."""

REDACTED = "[REDACTED]"
"""What logs show of a sensitive result."""

_STATUSES = {
    Status.RUNNING: "workflow_running",
    Status.WAITING: "workflow_waiting",
    Status.WAITING_FOR_PAUSE: "workflow_waiting_for_pause",
    Status.PAUSED: "workflow_paused",
}
_ENDS = {
    Status.COMPLETE: "workflow_completed",
    Status.ERRORED: "workflow_errored",
    Status.TERMINATED: "workflow_terminated",
}
LAST_TYPES = tuple(_ENDS.values())
"""Entries after which a subscription ends."""

_STEP_TYPES = (
    "step_started",
    "step_completed",
    "step_errored",
    "attempt_started",
    "attempt_completed",
    "attempt_errored",
)
TYPES = (
    "workflow_queued",
    "workflow_started",
    *_STATUSES.values(),
    *LAST_TYPES,
    *_STEP_TYPES,
    "sleep_started",
    "sleep_completed",
    "wait_started",
    "wait_completed",
    "wait_timed_out",
    "rollback_started",
    *(f"rollback_{each}" for each in _STEP_TYPES),
    "rollback_completed",
    "rollback_errored",
)
"""All types of entries."""


class Log:
    """The log during one transition.

    Args:
        entries: Those before it.
        is_kept: Whether it is kept at all.
        now_ms: Virtual time.
    """

    def __init__(self, entries: tuple[LogEntry, ...], *, is_kept: bool, now_ms: int) -> None:
        self.entries = entries
        self._is_kept = is_kept
        self._now_ms = now_ms

    def write(self, what: str, key: Key | None = None, **members: Value) -> None:
        """Add an entry."""
        if not self._is_kept:
            return
        number = self.entries[-1].number + 1 if self.entries else 1
        assert what in TYPES
        entry = LogEntry(number, what, self._now_ms, tuple(members.items()), key)
        self.entries = (*self.entries, entry)

    def created(self, params: Value) -> None:
        """The instance is there, and will be started."""
        self.write("workflow_queued")
        self.write("workflow_started", params=params)

    def status(self, status: Status) -> None:
        """The status has changed to one that is no end."""
        if status in _STATUSES:
            self.write(_STATUSES[status])

    def ended(self, status: Status, result: Outcome | None, *, is_fatal: bool = False) -> None:
        """The instance has ended; errors that the engine makes have their members in another order
        than those of `run`."""
        what = _ENDS[status]
        if isinstance(result, Returned):
            self.write(what, output=result.value)
        elif result is not None:
            name, message = errors.error_parts(result.value)
            is_made = is_fatal or errors.is_non_retryable(result.value)
            told: dict[str, Plain] = {"message": message, "name": name}
            self.write(what, error=_error(result.value) if is_made else encode(told))
        else:
            self.write(what)

    # -- steps --------------------------------------------------------------------------------

    def attempt_started(self, key: Key, attempt: int, config: StepConfig) -> None:
        """An attempt of a step, or of its rollback handler, begins."""
        if attempt == 1:
            self._step(key, "step_started", config=encode(_config(config)))
        self._step(key, "attempt_started", attempt=encode(attempt))

    def attempt_completed(self, key: Key, attempt: int) -> None:
        """An attempt has ended well."""
        self._step(key, "attempt_completed", attempt=encode(attempt))

    def step_completed(self, key: Key, output: Value) -> None:
        """The result of a step is stored."""
        is_shown = key.kind is Kind.DO and output != UNDEFINED
        self._step(key, "step_completed", **({"output": output} if is_shown else {}))

    def attempt_errored(
        self, key: Key, attempt: int, error: Value, retry_ms: int | None = None
    ) -> None:
        """An attempt has failed, and is repeated after a time, or not."""
        more = {} if retry_ms is None else {"retryDelayMs": encode(retry_ms)}
        self._step(key, "attempt_errored", attempt=encode(attempt), error=_error(error), **more)

    def step_errored(self, key: Key) -> None:
        """A step has failed for good."""
        self._step(key, "step_errored")

    def handler_missing(self, key: Key) -> None:
        """Nothing can undo a step, since its handler is not registered (R-RB-8)."""
        error: Plain = {
            "name": "RollbackMissing",
            "message": "Rollback function not available in registry",
        }
        self._step(key, "step_errored", error=encode(error))

    def is_interrupted(self, key: Key) -> bool:
        """Whether the last attempt of a step began and did not end (DIFF-18)."""
        about = [each.type for each in self.entries if each.key == key]
        return bool(about) and about[-1].endswith("attempt_started")

    def _step(self, key: Key, what: str, **members: Value) -> None:
        prefix = "rollback_" if key.kind is Kind.ROLLBACK else ""
        self.write(f"{prefix}{what}", key, **members)


def without(entries: tuple[LogEntry, ...], kept: Iterable[Key]) -> tuple[LogEntry, ...]:
    """What is left of a log when an instance restarts from a step (R-LC-9)."""
    keys = tuple(kept)
    return tuple(
        each
        for each in entries
        if each.key in keys or each.type in ("workflow_queued", "workflow_started")
    )


def _config(config: StepConfig) -> dict[str, Plain]:
    shown = config.shown()
    retries = shown["retries"]
    assert isinstance(retries, dict)
    delay = retries.get("delay", DYNAMIC)
    ordered = {"limit": retries["limit"], "delay": delay, "backoff": retries["backoff"]}
    return {**shown, "retries": ordered}


def _error(thrown: Value) -> Value:
    name, message = errors.error_parts(thrown)
    return encode({"name": name, "message": message})
