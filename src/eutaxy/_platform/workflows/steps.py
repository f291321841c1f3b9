"""`step.do`: identity, attempts, retries, timeouts, stored results (section 2.2 to 2.6)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Effect, Invoke, NodeId, Outcome, Part, Read, Returned, Threw
from eutaxy._base.duration import parse_duration
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Plain, Value, decode, encode
from eutaxy._base.value_json import UNDEFINED_TREE
from eutaxy._base.value_parts import compose
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.collisions import outcome_of_other
from eutaxy._platform.workflows.log import REDACTED
from eutaxy._platform.workflows.refusals import (
    named,
    resolved,
    resolved_rollback,
    step_refusal,
)
from eutaxy._platform.workflows.results import end_unstored, fitting, unloggable, unstorable
from eutaxy._platform.workflows.state import (
    Handler,
    Key,
    Kind,
    RunPhase,
    StepRecord,
    StepRun,
)
from eutaxy._platform.workflows.turn import Turn, returned_or_none

DELAY_FUNCTION_MS = 5_000
"""How long a delay function may take (R-DLY-3)."""


def issue_step(turn: Turn, owner: str, node: NodeId, effect: Effect) -> None:
    """Handle a `step.do` call: refuse it, answer it from the records, or begin it."""
    args = mapping(effect.args)
    refusal = step_refusal(turn, effect, args)
    if refusal is not None:
        turn.settle(owner, effect.ordinal, refusal, effect.place)
        return
    key = Key(effect.name, turn.count(Kind.DO, effect.name))
    record = turn.steps.get(key, StepRecord(key))
    if record.outcome is None:
        record = replace(record, outcome=outcome_of_other(turn, key))
    _register_handler(turn, key, node, effect, args)
    if record.outcome is not None:
        turn.note(RecordKind.NOTE, f"step {key} replayed", answer=record.outcome.value)
        turn.settle(owner, effect.ordinal, record.outcome, effect.place)
        return
    if turn.is_replay_pass:
        turn.settle(owner, effect.ordinal, Returned(UNDEFINED))
        return
    if record.config is None:
        config = resolved(turn, args)
        assert config is not None
        _diagnose_config(turn, effect, args)
        name = None if "nameIsText" not in args else encode(named(effect, args))
        record = replace(record, config=config, name=name)
        turn.steps[key] = record
    if not record.attempts and record.retry_ms is None:
        turn.begun.append((key, effect.place))
    assert record.config is not None
    is_spent = record.attempts > record.config.limit
    if turn.profile.recovery_checks_limit and is_spent and record.retry_ms is None:
        turn.steps[key] = StepRecord(key, outcome=errors.INTERRUPTED)
        turn.settle(owner, effect.ordinal, errors.INTERRUPTED)
        return
    if turn.profile.interruptions_are_logged and turn.log.is_interrupted(key):
        turn.log.attempt_errored(key, record.attempts, errors.INTERRUPTED.value)
    phase = RunPhase.START if record.retry_ms is None else RunPhase.RETRY
    turn.runs[key] = StepRun(key, owner, effect.ordinal, node, phase, place=effect.place)


def _register_handler(
    turn: Turn, key: Key, node: NodeId, effect: Effect, args: dict[str, Plain]
) -> None:
    """Remember the rollback handler for this lifetime, also of a step that is replayed (R-RB-8)."""
    rollback = args.get("rollback", UNDEFINED_TREE)
    if not isinstance(rollback, dict) or rollback == UNDEFINED_TREE:
        return
    config = resolved_rollback(turn, rollback)
    assert config is not None
    turn.handlers.append(Handler(key, effect.ordinal, node, config))


def has_handler(turn: Turn, key: Key) -> bool:
    """Whether this lifetime has registered a rollback handler for a step."""
    return any(handler.key == key for handler in turn.handlers)


def check_names(turn: Turn) -> None:
    """Point out steps that begin while others, done before, are not reached (F-RUN-4).

    Asked when code has gone as far as it can, since parallel steps are reached one after another.
    """
    begun = () if turn.instance.loose.is_deployed else turn.begun
    for key, place in begun:
        left = next((other for other in turn.steps.values() if _is_left_out(turn, other)), None)
        if left is not None:
            turn.diagnose(
                "F-RUN-4",
                f"step {key} begins although step {left.key} of an earlier lifetime was not "
                "reached: does its name, or the way to it, depend on something that changes?",
                place,
            )
    turn.begun.clear()


def _is_left_out(turn: Turn, record: StepRecord) -> bool:
    is_known = record.outcome is not None or record.attempts > 0
    return is_known and record.key.kind is Kind.DO and not _is_reached(turn, record.key)


def _is_reached(turn: Turn, key: Key) -> bool:
    return turn.counts.get((Kind.DO.value, key.name), 0) >= key.count


def _diagnose_config(turn: Turn, effect: Effect, args: dict[str, Plain]) -> None:
    config = args.get("config")
    if not isinstance(config, dict):
        return
    retries = config.get("retries")
    delay = retries.get("delay") if isinstance(retries, dict) else None
    diagnose_duration(turn, delay, f"retries.delay of step {effect.name!r}", effect.place)
    timeout = config.get("timeout")
    diagnose_duration(turn, timeout, f"timeout of step {effect.name!r}", effect.place)


def diagnose_duration(turn: Turn, written: Plain, what: str, place: str) -> None:
    """Point out durations whose unit the platform does not know (1.6)."""
    if not isinstance(written, str):
        return
    duration = parse_duration(written)
    if duration.unknown_unit:
        turn.diagnose(
            "misread-duration",
            f'{what} is "{written}", which Workflows reads as {duration.ms} ms: the unit '
            f'"{duration.unknown_unit}" is unknown; write second, minute, hour, day, ...',
            place,
        )


# -- attempts ---------------------------------------------------------------------------------


def begin_attempt(turn: Turn, key: Key) -> int:
    """Store that the next attempt begins (P2); its number."""
    record = turn.steps[key]
    attempt = record.attempts + 1
    is_kept = has_handler(turn, key)
    if attempt == 1 and key.kind is Kind.DO and (is_kept or Read.ORDER in turn.reads()):
        turn.started.append(key)
    if attempt == 1 and key.kind is Kind.DO:
        _act_on_failures(turn)
    turn.steps[key] = replace(
        record, attempts=attempt, retry_ms=None, has_handler=is_kept or record.has_handler
    )
    assert record.config is not None
    turn.log.attempt_started(key, attempt, record.config)
    return attempt


def _act_on_failures(turn: Turn) -> None:
    """Note on failures that `run` was told of in this lifetime that another step began since."""
    for record in tuple(turn.steps.values()):
        if record.has_failed and record.key not in turn.runs and _is_reached(turn, record.key):
            turn.steps[record.key] = replace(record, is_acted_on=True)


def run_attempt(turn: Turn, key: Key) -> None:
    """Call the callback (or the rollback handler) for the attempt that has begun (2.2 point 7)."""
    run, record = turn.runs[key], turn.steps[key]
    assert record.config is not None
    if key.kind is Kind.DO and Key(key.name, key.count, Kind.ROLLBACK) in turn.steps:
        turn.odd("compensated-then-done", f"step {key} runs again after it was rolled back")
    run = replace(
        run,
        phase=RunPhase.RUNNING,
        attempt=record.attempts,
        left_ms=record.config.timeout_ms or 0,
    )
    turn.runs[key] = run
    turn.can_crash_before = False
    part = Part.CALLBACK if key.kind is Kind.DO else Part.ROLLBACK
    argument = _context(turn, key, record) if part is Part.CALLBACK else _undoing(turn, key)
    _invoke(turn, run, part, argument)
    if record.config.timeout_ms is None:
        # The engine stumbles over the timer that it wants to set, and does not wait (1.5).
        message = "Cannot read properties of undefined (reading 'match')"
        conclude(turn, run, errors.plain(message, "TypeError"))
        turn.end_superseded(run.fiber)


def _invoke(turn: Turn, run: StepRun, part: Part, argument: Value) -> None:
    salt = ""
    if Read.RANDOM in turn.reads():
        salt = f"{turn.identity.activation}#{turn.instance.lifetimes}/{run.fiber}"
    turn.start_fiber(run.fiber, run.node, Invoke(run.ordinal, part, argument, turn.now_ms, salt))


def _context(turn: Turn, key: Key, record: StepRecord) -> Value:
    """The `ctx` of a step callback (1.5); what differs between attempts only once code reads it."""
    is_shown = Read.CONTEXT in turn.reads()
    assert record.config is not None
    name = key.name if record.name is None else decode(record.name)
    return encode(
        {
            "step": {"name": name, "count": key.count if is_shown else 1},
            "attempt": record.attempts if is_shown else 1,
            "config": record.config.shown(),
        }
    )


def _undoing(turn: Turn, key: Key) -> Value:
    """What a rollback handler is given (R-RB-4)."""
    assert turn.rollback is not None
    forward = turn.steps[Key(key.name, key.count)]
    output = returned_or_none(forward.outcome)
    return compose(
        [
            ("ctx", _context(turn, forward.key, forward)),
            ("error", turn.rollback.error),
            ("output", output if output is not None else UNDEFINED),
            ("stepName", encode(f"{key.name}-{key.count}")),
        ]
    )


def store_attempt(turn: Turn, key: Key, *, is_storing_failed: bool = False) -> None:
    """The callback has ended: store its result, or decide about a retry (2.2 points 8 and 9)."""
    run = turn.runs[key]
    fiber = turn.fibers.pop(run.fiber)
    outcome = fiber.outcome
    assert outcome is not None
    if fiber.pending:
        turn.fibers[run.fiber] = fiber
    turn.can_crash_before = True
    refused = unstorable(turn, key, outcome)
    if refused is not None:
        end_unstored(turn, run, refused)
        return
    what = errors.what_cannot_be_stored(outcome.value)
    if what is not None:
        outcome = errors.not_cloned(what)
    if is_storing_failed:
        outcome = errors.internal("Storing the result of the step failed")
    elif isinstance(outcome, Returned):
        outcome = fitting(turn, key, outcome)
    conclude(turn, run, outcome)
    turn.end_superseded(run.fiber)


def expire_attempt(turn: Turn, key: Key) -> None:
    """The attempt ran out of time; its callback goes on unheard (R-TO-2, R-TO-3)."""
    run = turn.runs[key]
    config = turn.steps[key].config
    assert config is not None
    turn.can_crash_before = True
    if run.phase is RunPhase.DELAY:
        turn.note(RecordKind.NOTE, f"delay function of step {key} did not end in time")
        fail(turn, run, _bad_delay(key, "did not return within 5 seconds"), is_stored=True)
    else:
        turn.note(RecordKind.NOTE, f"step {key} attempt {run.attempt} timed out")
        assert config.timeout_ms is not None
        conclude(turn, run, errors.timed_out(config.timeout_ms))
    turn.end_superseded(run.fiber)


def conclude(turn: Turn, run: StepRun, outcome: Outcome) -> None:
    """An attempt has ended: store, retry or fail (2.2 points 8 and 9)."""
    key, record = run.key, turn.steps[run.key]
    config = record.config
    assert config is not None
    if isinstance(outcome, Returned):
        _succeed(turn, run, outcome, encode(REDACTED) if config.is_sensitive else outcome.value)
        return
    outcome = turn.crossed(outcome)
    if errors.is_non_retryable(outcome.value):
        turn.permits_lost += 1 if turn.profile.non_retryable_keeps_permit else 0
        fail(turn, run, outcome, is_stored=turn.profile.non_retryable_is_cached)
        return
    is_oversize = "output is too large" in errors.error_parts(outcome.value)[1]
    is_retried = turn.profile.oversize_is_retried or not is_oversize
    if record.attempts > config.limit or not is_retried:
        fail(turn, run, outcome, is_stored=True)
        return
    if config.delay_ms is not None:
        wait = config.delay_after(record.attempts, config.delay_ms)
        turn.log.attempt_errored(key, run.attempt, outcome.value, wait)
        turn.steps[key] = replace(record, retry_ms=wait)
        turn.runs[key] = replace(run, phase=RunPhase.RETRY, left_ms=0)
        return
    delaying = replace(run, phase=RunPhase.DELAY, left_ms=DELAY_FUNCTION_MS, failure=outcome)
    turn.runs[key] = delaying
    argument = compose([("ctx", _context(turn, key, record)), ("error", outcome.value)])
    _invoke(turn, delaying, Part.DELAY, argument)


def _succeed(turn: Turn, run: StepRun, outcome: Returned, shown: Value) -> None:
    """Store a result, and log it; local engines stumble over circles when they log (R-RES-3)."""
    turn.log.attempt_completed(run.key, run.attempt)
    stumbled = unloggable(turn, shown)
    if stumbled is not None and run.key.kind is Kind.DO:
        finish_step(turn, run, outcome, told=stumbled)
        turn.permits_lost += 1
        return
    if run.key.kind is Kind.DO:
        turn.show_output(run.key, shown)
    turn.log.step_completed(run.key, shown)
    finish_step(turn, run, outcome)


def finish_delay(turn: Turn, run: StepRun) -> None:
    """The delay function has ended: wait as long as it said, times the backoff (R-DLY-2)."""
    fiber = turn.fibers.pop(run.fiber)
    record = turn.steps[run.key]
    config = record.config
    assert config is not None
    base = _delay_of(run.key, fiber.outcome)
    if isinstance(base, Threw):
        fail(turn, run, base, is_stored=True)
        return
    wait = config.delay_after(record.attempts, base)
    assert run.failure is not None
    turn.log.attempt_errored(run.key, run.attempt, run.failure.value, wait)
    turn.steps[run.key] = replace(record, retry_ms=wait)
    turn.runs[run.key] = replace(run, phase=RunPhase.RETRY, left_ms=0, failure=None)


def _delay_of(key: Key, outcome: Outcome | None) -> int | Threw:
    """What a delay function's result means in ms; else why the step fails (R-DLY-3, R-DLY-4)."""
    assert outcome is not None
    if isinstance(outcome, Threw):
        return _bad_delay(key, f"threw an error: {errors.error_parts(outcome.value)[1]}")
    tree = decode(outcome.value)
    if tree is None or tree == "":
        return 0
    ms = parse_duration(tree).ms if isinstance(tree, int | float | str) else None
    if ms is None or ms < 0:
        return _bad_delay(
            key,
            "returned an invalid delay value (expected a number of ms or a duration string like "
            '"30 seconds")',
        )
    return ms


def _bad_delay(key: Key, what: str) -> Threw:
    return errors.bad_delay(f'The delay function for step "{key.name}-{key.count}" {what}')


def finish_step(turn: Turn, run: StepRun, outcome: Outcome, *, told: Outcome | None = None) -> None:
    """Store the outcome (P4, P8) and answer whoever called the step, perhaps with another."""
    record = turn.steps[run.key]
    del turn.runs[run.key]
    if record.is_acted_on and isinstance(outcome, Returned):
        turn.odd(
            "step-changed-its-mind",
            f"step {run.key} failed in the eyes of an earlier lifetime and now succeeded",
        )
    if record.has_handler and run.key.kind is Kind.DO:
        turn.steps[run.key] = replace(record, outcome=outcome, retry_ms=None)
    else:
        turn.steps[run.key] = StepRecord(run.key, outcome=outcome)
    if run.key.kind is Kind.DO:
        if isinstance(outcome, Returned) and turn.is_stopped and not turn.is_attempting():
            # The value is stored; the code hears of the pause instead (R-LC-5).
            outcome = errors.paused()
        turn.settle(run.owner, run.ordinal, outcome if told is None else told, run.place)


def fail(turn: Turn, run: StepRun, outcome: Threw, *, is_stored: bool = False) -> None:
    """The step fails for good; only an exhausted step's error is stored (R-DO-4, R-NR-3)."""
    if run.phase is not RunPhase.RETRY:
        turn.log.attempt_errored(run.key, run.attempt, (run.failure or outcome).value)
        turn.log.step_errored(run.key)
    if is_stored or run.key.kind is Kind.ROLLBACK:
        finish_step(turn, run, outcome)
        return
    del turn.runs[run.key]
    # A pause says nothing of the step, which goes on when the instance does (R-LC-5).
    is_pause = turn.profile.pause_is_visible and errors.is_pause(outcome.value)
    if not is_pause:
        turn.steps[run.key] = replace(turn.steps[run.key], has_failed=True)
    turn.settle(run.owner, run.ordinal, outcome, run.place)


def mapping(value: Value) -> dict[str, Plain]:
    """A value that is an object, decoded."""
    tree = decode(value)
    assert isinstance(tree, dict)
    return tree
