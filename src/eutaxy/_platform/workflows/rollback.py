"""Rollback: undoing completed steps in reverse order of their starts (section 2.15)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Outcome, Returned, Threw
from eutaxy._base.record import RecordKind
from eutaxy._base.value import NULL, UNDEFINED, Value, error_value
from eutaxy._platform.call import Return
from eutaxy._platform.workflows.state import (
    BODY,
    Handler,
    Key,
    Kind,
    Rollback,
    RunPhase,
    Status,
    StepRecord,
    StepRun,
)
from eutaxy._platform.workflows.turn import Turn


def is_eligible(turn: Turn) -> bool:
    """Whether there is anything left to roll back (R-RB-1)."""
    return bool(_left(turn))


def start_rollback(turn: Turn, error: Value, ends: Status, reply: Return | None = None) -> None:
    """Begin to undo; the instance ends with `ends` afterwards (R-RB-2), which `reply` hears."""
    _leave_behind(turn)
    turn.rollback = Rollback(error, ends, reply)
    turn.note(RecordKind.NOTE, "rollback begins", answer=error)
    turn.log.write("rollback_started")
    go_on(turn)


def go_on(turn: Turn) -> None:
    """Begin the next handler, or end the instance when the chain is over (R-RB-3, R-RB-6)."""
    assert turn.rollback is not None
    if any(run.key.kind is Kind.ROLLBACK for run in turn.runs.values()):
        return
    failure = _failure(turn)
    left = _left(turn)
    if failure is not None or not left:
        finish_rollback(turn, failure)
        return
    step = left[-1]
    handler = _handler(turn, step)
    key = Key(step.name, step.count, Kind.ROLLBACK)
    if handler is None:
        # The replay did not come by the step again, so nothing can undo it (R-RB-8).
        missing = error_value("Error", f"Rollback handler of step {step} is missing")
        turn.steps[key] = StepRecord(key, outcome=Threw(missing))
        turn.log.handler_missing(key)
        finish_rollback(turn, missing)
        return
    record = turn.steps.get(key, StepRecord(key))
    if record.config is None:
        record = replace(record, config=handler.config)
    turn.steps[key] = record
    phase = RunPhase.START if record.retry_ms is None else RunPhase.RETRY
    turn.runs[key] = StepRun(key, BODY, handler.ordinal, handler.node, phase)


def finish_rollback(turn: Turn, failure: Value | None) -> None:
    """The chain is over: the instance ends as it would have without it (R-RB-6)."""
    assert turn.rollback is not None
    ends = turn.rollback.ends
    outcome: Outcome | None = Threw(turn.rollback.error) if ends is Status.ERRORED else None
    turn.note(RecordKind.NOTE, f"rollback {'complete' if failure is None else 'failed'}")
    turn.log.write("rollback_completed" if failure is None else "rollback_errored")
    if turn.rollback.reply is not None:
        turn.reply(turn.rollback.reply, Returned(UNDEFINED))
    turn.instance = replace(turn.instance, rollback_error=NULL if failure is None else failure)
    end_instance(turn, ends, outcome)


def end_instance(turn: Turn, status: Status, result: Outcome | None) -> None:
    """Store a terminal status; callbacks that still run live on (R-RUN-1, R-TO-4)."""
    loose = replace(turn.instance.loose, torn=(), consumed=(), logged=None)
    turn.instance = replace(turn.instance, status=status, result=result, back_ms=None, loose=loose)
    _leave_behind(turn)
    turn.handlers.clear()
    turn.rollback = None
    turn.fibers.pop(BODY, None)
    for name in list(turn.fibers):
        turn.end_superseded(name)
    answer = result.value if result is not None else None
    turn.note(RecordKind.END, status.value, answer=answer)
    turn.log.ended(status, result)


def diagnose_undone(turn: Turn) -> None:
    """Point out that an instance completes although some of its steps were rolled back (R-RB-9)."""
    undone = [
        str(Key(key.name, key.count))
        for key, record in turn.steps.items()
        if key.kind is Kind.ROLLBACK and isinstance(record.outcome, Returned)
    ]
    if undone:
        turn.diagnose(
            "R-RB-9",
            "run() failed, was replayed in the middle of its rollback and did not fail again: the "
            f"instance is complete although these steps were rolled back: {', '.join(undone)}",
        )


def _leave_behind(turn: Turn) -> None:
    """`run` has ended: nothing waits any more; steps it left behind go on or not (R-RUN-1)."""
    is_aborted = turn.instance.status is Status.TERMINATED
    for key in list(turn.runs):
        if key.kind is Kind.ROLLBACK or is_aborted or not turn.profile.steps_outlive_run:
            del turn.runs[key]
    turn.sleepers.clear()
    turn.waiters.clear()


def _left(turn: Turn) -> list[Key]:
    """Started steps with a handler that are not undone yet, oldest first."""
    return [
        key
        for key in turn.started
        if key.kind is Kind.DO
        and turn.steps[key].has_handler
        and turn.steps.get(Key(key.name, key.count, Kind.ROLLBACK), _NEVER).outcome is None
    ]


def _failure(turn: Turn) -> Value | None:
    for record in turn.steps.values():
        if record.key.kind is Kind.ROLLBACK and isinstance(record.outcome, Threw):
            return record.outcome.value
    return None


def _handler(turn: Turn, key: Key) -> Handler | None:
    return next((handler for handler in turn.handlers if handler.key == key), None)


_NEVER = StepRecord(Key("", 0, Kind.ROLLBACK))
