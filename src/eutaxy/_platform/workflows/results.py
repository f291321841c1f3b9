"""What becomes of results that are too large, or cannot be stored at all (section 2.6)."""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import Outcome, Returned, Threw
from eutaxy._base.record import RecordKind
from eutaxy._base.value import Value, decode
from eutaxy._base.value_json import circle_in, has_bigint
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.state import Key, Status, StepRun
from eutaxy._platform.workflows.turn import Turn


def fitting(turn: Turn, key: Key, outcome: Returned) -> Outcome:
    """The result, or the failure of storing one that is too large (R-RES-4)."""
    size = len(outcome.value.encode())
    if size <= turn.profile.result_bytes_max or outcome.value.startswith('{"$":"stream"'):
        return outcome
    return errors.internal(
        f"Step {key.name}-{key.count} output is too large. Maximum allowed size is 1MiB."
    )


def unstorable(turn: Turn, key: Key, outcome: Outcome) -> Threw | None:
    """Why a result ends the instance: no catch, no retry, no rollback (R-RES-2, R-RES-5).

    Only production ends it for every value that cannot be stored (DIFF-10).
    """
    is_strict = turn.profile.unserialisable_is_fatal
    ended = "The execution of the Workflow instance was terminated, as the step "
    if isinstance(outcome, Threw):
        what = errors.what_cannot_be_stored(outcome.value)
        if what == "a ReadableStream":
            message = errors.error_parts(outcome.value)[1]
            return errors.fatal(
                f'{ended}"{key.name}" returned an invalid ReadableStream output. {message}'
            )
        is_hard = what is not None and what.startswith(("function", "an object of class Response"))
        if what is None or not (is_strict or is_hard):
            return None
    elif not is_strict or _is_storable(outcome.value):
        return None
    return errors.fatal(f'{ended}"{key.name}" returned a value which is not serialisable')


def _is_storable(value: Value) -> bool:
    """Whether production stores a value that has crossed: no circles, no streams of text."""
    tree = decode(value)
    if isinstance(tree, dict) and tree.get("$") == "stream":
        return "chunks" not in tree
    return circle_in(value) is None


def unloggable(turn: Turn, value: Value) -> Threw | None:
    """What an engine stumbles over when it logs a value: one that contains itself, and in an older
    one a BigInt (R-RES-1, R-RES-3)."""
    message = circle_in(value)
    if message is None and turn.profile.bigint_breaks_log and has_bigint(value):
        message = "Do not know how to serialize a BigInt"
    return None if message is None else errors.plain(message, "TypeError")


def end_unstored(turn: Turn, run: StepRun, error: Threw) -> None:
    """End the instance over a result that cannot be stored."""
    turn.drop_lifetime()
    turn.instance = replace(turn.instance, status=Status.ERRORED, result=error, back_ms=None)
    why = errors.fatal(f'Value returned from step "{run.key.name}" is not serialisable')
    turn.log.attempt_errored(run.key, run.attempt, why.value)
    turn.log.step_errored(run.key)
    turn.log.ended(Status.ERRORED, error, is_fatal=True)
    turn.note(RecordKind.END, Status.ERRORED.value, answer=error.value)
