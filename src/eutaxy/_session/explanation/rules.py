"""Which rules of the model came into play in a run, by the ids of docs/rules.md.

The tables say of each kind of line in a trace which rule stands behind it, and of each kind of
fault which point of the catalogue it is. They name what can be seen in a trace; a rule that shows
in no line is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eutaxy._base.code import Threw
from eutaxy._base.fault import Fault
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.value import decode
from eutaxy._base.verdict import FaultMark
from eutaxy._explore.path import walk
from eutaxy._explore.trace import Tracer
from eutaxy._platform.step_ownership import REST, party_of_choice
from eutaxy._platform.workflows.choices import StartAttempt, StoreAttempt
from eutaxy._platform.workflows.state import Instance, Live, RunPhase
from eutaxy._session.model import Model
from eutaxy._world.world import CLOCK_SLOT, Option, World

NOTES = (
    (RecordKind.NOTE, r"waitForEvent .* timed out", ("R-EV-5",)),
    (RecordKind.NOTE, r"timeout .* replayed", ("R-EV-5",)),
    (RecordKind.NOTE, r"event .* received", ("R-EV-1", "R-EV-3")),
    (RecordKind.NOTE, r"event .* replayed", ("R-EV-4",)),
    (RecordKind.NOTE, r"sleep .* over", ("R-SL-2",)),
    (RecordKind.NOTE, r"sleep .* replayed", ("R-SL-1",)),
    (RecordKind.NOTE, r"step .* replayed", ("R-DO-2",)),
    (RecordKind.NOTE, r"step .* attempt \d+ timed out", ("R-TO-2", "R-TO-3")),
    (RecordKind.NOTE, r"delay function of step .* did not end in time", ("R-DLY-3",)),
    (RecordKind.NOTE, r"rollback begins", ("R-RB-2",)),
    (RecordKind.SUSPENDED, r"suspended", ("R-HIB-1",)),
    (RecordKind.SUSPENDED, r"paused", ("R-LC-2",)),
    (RecordKind.END, r"complete", ("R-RUN-1",)),
    (RecordKind.END, r"errored", ("R-RUN-2",)),
    (RecordKind.EFFECT, r"Workflow:\S+ create", ("R-CR-1",)),
    (RecordKind.EFFECT, r"Workflow:\S+ sendEvent", ("R-EV-1",)),
    (RecordKind.EFFECT, r"Workflow:\S+ status", ("R-ST-1",)),
    (RecordKind.EFFECT, r"Workflow:\S+ pause", ("R-LC-1",)),
    (RecordKind.EFFECT, r"Workflow:\S+ resume", ("R-LC-3",)),
    (RecordKind.EFFECT, r"Workflow:\S+ terminate", ("R-LC-6",)),
    (RecordKind.EFFECT, r"Workflow:\S+ restart", ("R-LC-8",)),
    (RecordKind.EFFECT, r"Workflow:\S+ delete", ("R-LC-11",)),
    (RecordKind.EFFECT, r"Workflow:\S+ step_result", ("R-DO-1",)),
    (RecordKind.EFFECT, r"Workflow:\S+ rollback_start", ("R-RB-5",)),
)
"""Kinds of lines, by a pattern of the whole text."""

OF_OPERATION = {
    (Fault.REQUEST_LOST, "create"): "F-CR-1",
    (Fault.ANSWER_LOST, "create"): "F-CR-2",
    (Fault.ANSWER_LOST, "createBatch"): "F-CR-7",
    (Fault.CRASH_AFTER, "create"): "F-CR-6",
    (Fault.REQUEST_LOST, "sendEvent"): "F-EV-2",
    (Fault.ANSWER_LOST, "sendEvent"): "F-EV-3",
    (Fault.ANSWER_LOST, "pause"): "F-LC-1",
    (Fault.ANSWER_LOST, "resume"): "F-LC-1",
    (Fault.ANSWER_LOST, "terminate"): "F-LC-2",
    (Fault.ANSWER_LOST, "restart"): "F-LC-3",
    (Fault.ANSWER_LOST, "delete"): "F-LC-4",
    (Fault.CRASH_AFTER, "step_start"): "F-DO-3",
    (Fault.STORE_FAILED, "step_result"): "F-DO-16",
    (Fault.CRASH_AFTER, "rollback_start"): "F-RB-2",
    (Fault.CRASH_AFTER, "rollback_result"): "F-RB-3",
    (Fault.CRASH_AFTER, "run_result"): "F-RUN-7",
}
"""Points of the catalogue by the operation that was struck."""

IN_A_STEP = {
    Fault.CRASH_AFTER: "F-DO-4",
    Fault.CRASH_IN_FLIGHT: "F-DO-13",
    Fault.ATTEMPT_KILLED: "F-DO-13",
    Fault.ANSWER_LOST: "F-DO-14",
    Fault.ANSWERS_OUTAGE: "F-DO-14",
    Fault.REQUEST_LOST: "F-DO-15",
    Fault.FAILED_STATUS: "F-DO-15",
    Fault.OUTAGE: "F-DO-15",
    Fault.ANSWER_LATE: "F-DO-12",
}
"""Points of the catalogue for calls inside of steps."""

ANYWHERE = {
    Fault.TIMER_LATE: "F-SL-5",
    Fault.ATTEMPT_KILLED: "R-LIM-2",
    Fault.DEPLOYED: "F-RUN-5",
    Fault.QUEUED_LONG: "F-ST-2",
    Fault.EVENT_AGAIN: "F-EV-6",
    Fault.CRASH_SLEEP_NOTED: "F-SL-1",
    Fault.CRASH_WAIT_NOTED: "F-EV-13",
    Fault.CRASH_RUN_LOGGED: "F-RUN-8",
    Fault.RESTART_HALF: "F-LC-8",
    Fault.RETENTION_OVER: "F-CR-8",
    Fault.STATUS_STALE: "F-LC-11",
}
"""Points of the catalogue whatever was struck."""

AGAIN = "F-CR-3"
"""A driver event that comes twice."""

RESULT_LOST, FAILURE_LOST = "F-DO-5", "F-DO-7"
"""The activation dies before the result of an attempt, or its failure, was stored."""

OUTSIDE_STEPS = "F-RUN-6"
"""The activation dies after a call of `run` itself."""

NOT_BEGUN = "F-DO-1"
"""The activation dies before the first attempt of a step."""

IDLE, IDLE_IN_SLEEP, IDLE_BEFORE_RETRY = "F-RUN-1", "F-SL-2", "F-DO-8"
"""The activation dies while it only waits: for something else, in a sleep, before a retry."""

CAME_BACK, BEGAN_ANEW = "R-HIB-2", "R-HIB-3"
"""After a crash; in a new lifetime."""

REPEATED_AT_ONCE, RETRIED = "R-RT-5", "R-RT-1"
"""A further attempt: of a step that a crash interrupted, and of one that failed."""

ALL = tuple(
    dict.fromkeys(
        (
            *(rule for _, _, rules in NOTES for rule in rules),
            *OF_OPERATION.values(),
            *IN_A_STEP.values(),
            *ANYWHERE.values(),
            *(AGAIN, RESULT_LOST, FAILURE_LOST, OUTSIDE_STEPS, NOT_BEGUN),
            *(IDLE, IDLE_IN_SLEEP, IDLE_BEFORE_RETRY),
            *(CAME_BACK, BEGAN_ANEW, REPEATED_AT_ONCE, RETRIED),
        )
    )
)
"""Every id that may be named."""

_RESULT = (Fault.CRASH_AFTER, "step_result")
_BEGINNING = (Fault.CRASH_BEFORE, "step_start")
_MOMENTS = ("step_start", "step_result", "rollback_start", "rollback_result", "run_result")
_CRASHES = tuple(each for each in Fault if each.value.startswith("crash_"))
_PATTERNS = tuple((kind, re.compile(text, re.DOTALL), rules) for kind, text, rules in NOTES)


def rules_of(model: Model, path: Sequence[int]) -> tuple[str, ...]:
    """Ids of rules and of fault points, in the order in which they first came into play.

    Args:
        model: The scenario as a graph.
        path: Indexes of choices in it.
    """
    found: dict[str, None] = {}
    tracer, lines = Tracer(), _Lines()
    for world, option in walk(model, path):
        records, marks = len(tracer.trace.records), len(tracer.trace.faults)
        tracer.take(model.explain(world, option), is_again=option.redeliveries > 0)
        if option.redeliveries:
            found[AGAIN] = None
        struck = tracer.trace.faults[marks:]
        is_done = all(map(_is_done, struck)) and not _is_failure(model, world, option)
        for record in tracer.trace.records[records:]:
            found.update(dict.fromkeys(lines.rules(record, is_done=is_done)))
        for mark in struck:
            found.update(dict.fromkeys(_points(model, world, option, mark)))
    return tuple(found)


class _Lines:
    """Tells the rules behind the lines of one trace."""

    def __init__(self) -> None:
        self._crashed_at: dict[str, int] = {}
        self._started_at: dict[tuple[str, str], int] = {}

    def rules(self, record: Record, *, is_done: bool) -> Iterator[str]:
        """The rules behind the next line.

        Args:
            record: The line.
            is_done: Whether what it says was done: a fault may have prevented it.
        """
        instance = record.activation.rpartition("#")[0]
        if record.kind is RecordKind.FAULT and record.fault in _CRASHES:
            self._crashed_at[instance] = record.seq
        elif record.kind is RecordKind.START and instance:
            is_back = self._has_crashed_since_start(instance, "", record.seq)
            if not record.activation.endswith("#0"):
                yield BEGAN_ANEW
            if is_back:
                yield CAME_BACK
        elif record.kind is RecordKind.EFFECT and record.text.endswith(" step_start"):
            assert record.args is not None
            args = decode(record.args)
            assert isinstance(args, dict)
            step = f"{args['step']}:{args['count']}"
            is_interrupted = self._has_crashed_since_start(instance, step, record.seq)
            if args["attempt"] != 1:
                yield REPEATED_AT_ONCE if is_interrupted else RETRIED
        if record.kind is RecordKind.EFFECT and not is_done:
            return
        for kind, pattern, rules in _PATTERNS:
            if record.kind is kind and pattern.fullmatch(record.text):
                yield from rules

    def _has_crashed_since_start(self, instance: str, step: str, seq: int) -> bool:
        """Whether an instance has died since it, or its step, was last begun; it is begun now."""
        before = self._started_at.get((instance, step), 0)
        self._started_at[instance, step] = seq
        return self._crashed_at.get(instance, 0) > before


def _is_done(mark: FaultMark) -> bool:
    """Whether what a fault struck was done all the same."""
    is_heard_of = mark.fault in (Fault.ANSWER_LOST, Fault.ANSWER_LATE, Fault.CRASH_AFTER)
    return is_heard_of and not mark.effect.endswith("_result")


def _points(model: Model, world: World, option: Option, mark: FaultMark) -> Iterator[str]:
    """The points of the catalogue that a fault is."""
    operation = mark.effect.rpartition(" ")[2]
    message = model.message_of(option.message)
    if (mark.fault, operation) == _RESULT:
        yield FAILURE_LOST if _is_failure(model, world, option) else RESULT_LOST
    elif isinstance(message, StartAttempt) and (mark.fault, operation) == _BEGINNING:
        yield IDLE_BEFORE_RETRY if _has_begun(model, world, option, message) else NOT_BEGUN
    elif mark.fault is Fault.CRASH_IDLE:
        yield _waiting_point(model, world, option)
    elif (mark.fault, operation) in OF_OPERATION:
        yield OF_OPERATION[mark.fault, operation]
    if operation not in _MOMENTS and mark.effect:
        yield from _points_of_call(model, option, mark.fault)
    if mark.fault in ANYWHERE:
        yield ANYWHERE[mark.fault]


def _points_of_call(model: Model, option: Option, fault: Fault) -> Iterator[str]:
    owner = model.owner(option)
    party = party_of_choice(owner, model.message_of(option.message))
    if party is None or owner[0] != "workflow":
        return
    if party[1] != REST and fault in IN_A_STEP:
        yield IN_A_STEP[fault]
    if party[1] == REST and fault is Fault.CRASH_AFTER:
        yield OUTSIDE_STEPS


def _waiting_point(model: Model, world: World, option: Option) -> str:
    """The point at which a lifetime that waits dies: by what it waits for."""
    _, live = _lifetime(model, world, option)
    if any(run.phase is RunPhase.RETRY for run in live.runs):
        return IDLE_BEFORE_RETRY
    return IDLE_IN_SLEEP if live.sleepers else IDLE


def _has_begun(model: Model, world: World, option: Option, message: StartAttempt) -> bool:
    """Whether an attempt of the step that begins was made before."""
    instance, _ = _lifetime(model, world, option)
    return any(each.key == message.key and each.attempts for each in instance.steps)


def _is_failure(model: Model, world: World, option: Option) -> bool:
    """Whether a choice stores the end of an attempt that threw."""
    if option.slot == CLOCK_SLOT:
        return False
    message = model.message_of(option.message)
    if not isinstance(message, StoreAttempt):
        return False
    _, live = _lifetime(model, world, option)
    run = next(each for each in live.runs if each.key == message.key)
    return isinstance(dict(live.fibers)[run.fiber].outcome, Threw)


def _lifetime(model: Model, world: World, option: Option) -> tuple[Instance, Live]:
    """The instance that a choice happens to, which is in memory."""
    instance = model.local(world, model.owner(option))
    assert isinstance(instance, Instance)
    assert instance.live is not None
    return instance, instance.live
