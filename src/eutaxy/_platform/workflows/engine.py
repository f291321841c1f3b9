"""Lifetimes: starting, draining, ending and losing them (sections 2.9, 2.12)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import EffectKind, Outcome, Read, Returned, Threw, WorkflowEntry
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Value, encode
from eutaxy._base.value_parts import compose
from eutaxy._platform.fiber import Fiber
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.events import forget_events, restore_events
from eutaxy._platform.workflows.pausing import is_over_by_pause, take_pause
from eutaxy._platform.workflows.results import unloggable
from eutaxy._platform.workflows.rollback import (
    diagnose_undone,
    end_instance,
    go_on,
    is_eligible,
    start_rollback,
)
from eutaxy._platform.workflows.state import BODY, Kind, RunPhase, Status, StepRun
from eutaxy._platform.workflows.steps import check_names, finish_delay, issue_step
from eutaxy._platform.workflows.subscriptions import broken
from eutaxy._platform.workflows.turn import Turn
from eutaxy._platform.workflows.waits import issue_sleep, issue_wait


def begin(turn: Turn) -> None:
    """Start a lifetime: `run` from the top with fresh counters (R-HIB-3)."""
    identity, instance = turn.identity, turn.instance
    if instance.status is Status.WAITING_FOR_PAUSE:
        # The engine went down while a pause was pending, and finds the request now (R-HIB-3).
        turn.instance = replace(instance, back_ms=None, is_dormant=False)
        turn.set_status(Status.PAUSED)
        return
    # What a paused lifetime has left behind cannot be told apart from the new one.
    turn.drop_lifetime()
    restore_events(turn)
    reads = turn.reads()
    lifetimes = instance.lifetimes + 1 if Read.RANDOM in reads else 0
    turn.instance = replace(instance, back_ms=None, is_dormant=False, lifetimes=lifetimes)
    turn.set_status(Status.RUNNING)
    turn.note(RecordKind.START, "")
    reaction = identity.code.start(
        WorkflowEntry(
            class_name=identity.next_class if instance.loose.is_deployed else identity.class_name,
            event=_event_value(turn),
            now_ms=turn.now_ms,
            salt=f"{identity.activation}#{lifetimes}" if Read.RANDOM in reads else "",
        )
    )
    turn.is_live = True
    turn.fibers[BODY] = Fiber(reaction.node)
    turn.absorb(BODY, reaction)
    drain(turn)


def _event_value(turn: Turn) -> Value:
    """The event that `run` is given: the durable original in every lifetime (1.4)."""
    identity, instance = turn.identity, turn.instance
    stamp = encode({"$": "date", "of": identity.epoch_ms + instance.created_ms})
    return compose(
        [
            ("payload", instance.params),
            ("timestamp", stamp),
            ("instanceId", encode(identity.instance_id)),
            ("workflowName", encode(identity.workflow_name)),
            *([] if instance.schedule is None else [("schedule", instance.schedule)]),
        ]
    )


def drain(turn: Turn) -> None:
    """Work through what code asked for and what it is to be told, until neither is left."""
    _drain(turn)
    while take_pause(turn):
        _drain(turn)


def _drain(turn: Turn) -> None:
    while turn.issued or turn.due or _ended_delay(turn):
        if turn.issued:
            owner, node, effect = turn.issued.pop(0)
            if owner not in turn.fibers:
                continue
            if turn.instance.status.is_terminal:
                # What is called after the end is silent: it never begins or answers (section 6).
                turn.end_superseded(owner)
                continue
            if effect.kind is EffectKind.STEP:
                issue_step(turn, owner, node, effect)
            elif effect.kind is EffectKind.SLEEP:
                issue_sleep(turn, owner, effect)
            else:
                issue_wait(turn, owner, effect)
        elif turn.due:
            name, ordinal, outcome = turn.due.pop(0)
            turn.observe(name, ordinal, outcome)
        else:
            run = _ended_delay(turn)
            assert run is not None
            finish_delay(turn, run)
    check_names(turn)
    if turn.rollback is not None:
        go_on(turn)


def _ended_delay(turn: Turn) -> StepRun | None:
    for run in turn.runs.values():
        if run.phase is RunPhase.DELAY and turn.fibers[run.fiber].outcome is not None:
            return run
    return None


def crash(turn: Turn) -> None:
    """Lose everything volatile (4.1); the engine is back after the downtime."""
    turn.drop_lifetime()
    forget_events(turn)
    turn.out += broken(turn.instance, turn.identity)
    turn.instance = replace(turn.instance, listeners=())
    if turn.instance.status.is_terminal:
        return
    if not turn.profile.engine_wakes:
        turn.instance = replace(turn.instance, back_ms=None, is_dormant=True)
    elif turn.instance.status is Status.WAITING_FOR_PAUSE:
        # A new engine finds the request to pause and stops (R-HIB-3, F-LC-5).
        turn.instance = replace(turn.instance, back_ms=None)
        turn.set_status(Status.PAUSED)
    else:
        turn.instance = replace(turn.instance, back_ms=turn.identity.downtime_ms)


def store_run(turn: Turn) -> None:
    """`run` has ended (R-RUN-1, R-RUN-2): roll back if it threw, then store the terminal status."""
    outcome = turn.fibers[BODY].outcome
    assert outcome is not None
    outcome = _told(turn, outcome)
    if turn.runs:
        names = ", ".join(str(key) for key in turn.runs)
        turn.diagnose("R-RUN-1", f"run() ended while steps it started were under way: {names}")
    if isinstance(outcome, Threw):
        if is_over_by_pause(turn, outcome):
            del turn.fibers[BODY]
            is_dormant = turn.instance.status is not Status.PAUSED
            turn.instance = replace(turn.instance, is_dormant=is_dormant)
            return
        if errors.is_non_retryable(outcome.value):
            # The engine is aborted at once: siblings are cut off (R-NR-2).
            for name in [each for each in turn.fibers if each != BODY]:
                del turn.fibers[name]
            turn.runs.clear()
        if is_eligible(turn):
            start_rollback(turn, outcome.value, Status.ERRORED)
            drain(turn)
            return
        end_instance(turn, Status.ERRORED, _reported(turn, outcome))
        return
    undone = [key for key in turn.steps if key.kind is Kind.ROLLBACK]
    if undone:
        names = ", ".join(str(key) for key in undone)
        turn.odd("compensated-then-done", f"run() completed although it had rolled back {names}")
    diagnose_undone(turn)
    logged = turn.instance.loose.logged
    end_instance(turn, Status.COMPLETE, outcome if logged is None else logged)


def _told(turn: Turn, outcome: Outcome) -> Outcome:
    """How `run` ended, as the engine learns it: values and errors have crossed (R-RES-6)."""
    if isinstance(outcome, Returned):
        return unloggable(turn, outcome.value) or outcome
    what = errors.what_cannot_be_stored(outcome.value)
    if what is not None and turn.profile.run_result_is_loose:
        if what.startswith("function"):
            return Returned(UNDEFINED)
        if what == "an object of class Response":
            return Returned(encode({}))
    return turn.crossed(outcome) if what is None else errors.not_cloned(what)


def _reported(turn: Turn, outcome: Threw) -> Outcome:
    if not errors.is_non_retryable(outcome.value):
        return outcome
    return errors.reported(outcome, is_kept=turn.identity.non_retryable_message_kept)


def replay_pass(turn: Turn) -> None:
    """Run the body only to register rollback handlers: steps never execute (R-LC-7)."""
    turn.is_replay_pass = True
    begin(turn)
    turn.is_replay_pass = False
    turn.runs.clear()
    turn.sleepers.clear()
    turn.waiters.clear()
    body = turn.fibers[BODY]
    turn.fibers[BODY] = Fiber(body.node, (), Returned(turn.instance.params))
