"""What the binding and the handles of an instance answer (1.2, 1.3, sections 2.8, 2.14, 2.16)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from eutaxy._base.code import Outcome, Read, Returned, Threw
from eutaxy._base.note import Diagnostic, Note
from eutaxy._base.record import RecordKind
from eutaxy._base.value import NULL, UNDEFINED, Plain, Value, decode, encode
from eutaxy._base.value_parts import part
from eutaxy._platform.call import Fate, Out, Perform
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.engine import crash, drain, replay_pass
from eutaxy._platform.workflows.events import receive_event
from eutaxy._platform.workflows.identity import Identity, is_instance_id, is_reserved_id
from eutaxy._platform.workflows.log import Log, without
from eutaxy._platform.workflows.optional import abort_only, earlier
from eutaxy._platform.workflows.retention import is_forgotten, is_retention, read_retention
from eutaxy._platform.workflows.rollback import end_instance, is_eligible, start_rollback
from eutaxy._platform.workflows.state import BODY, Instance, Key, Kind, LooseEnds, Status
from eutaxy._platform.workflows.status import status_value, unknown_status
from eutaxy._platform.workflows.subscriptions import NEXT, broken, next_event, subscribe
from eutaxy._platform.workflows.turn import Turn
from eutaxy.errors import UnmodelledError

PAYLOAD_BYTES_MAX = 2**20
"""Largest params and event payloads (2.17)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The state after a call, what it is answered (None: later), what it tells, and to whom."""

    after: Instance | None
    outcome: Outcome | None
    notes: tuple[Note | Diagnostic, ...] = ()
    out: tuple[Out, ...] = ()


def answer_call(local: Instance | None, perform: Perform, identity: Identity) -> Answer:
    """Answer a call of the binding or of a handle that names this instance."""
    operation = perform.effect.operation
    if local is not None and is_forgotten(local):
        local = None
    if operation == "create":
        return _create(local, perform, identity)
    if operation == "scheduled":
        return _scheduled(local, perform, identity)
    method = _METHODS.get(operation)
    if method is None:
        raise UnmodelledError(
            f"calling {operation} of Workflow instance {identity.instance_id!r}",
            f"{operation} is not modelled",
            "remove the call to check the rest of the Worker",
            place=perform.effect.place,
        )
    if local is None:
        return Answer(None, errors.not_found())
    return method(local, perform, identity)


def handle_value(identity: Identity) -> Value:
    """The value of an instance handle."""
    return encode({"id": identity.instance_id})


# -- creation ---------------------------------------------------------------------------------


def _create(local: Instance | None, perform: Perform, identity: Identity) -> Answer:
    if identity.profile.names_are_checked and is_reserved_id(identity.instance_id):
        return Answer(local, errors.invalid_id())
    if local is not None and identity.profile.create_refuses_existing:
        return Answer(local, errors.already_exists(identity.instance_id))
    params = part(perform.effect.args, "options", "params")
    if params is None or params == UNDEFINED:
        params = encode({})
    if local is not None:
        if local.is_dormant:
            # The engine starts, and runs with what this call brought (R-CR-3, DIFF-02).
            local = replace(local, params=params, back_ms=0, is_dormant=False)
        return Answer(local, Returned(handle_value(identity)))
    if len(params.encode()) > PAYLOAD_BYTES_MAX and identity.profile.names_are_checked:
        return Answer(None, errors.plain("The params of the instance are larger than 1MiB"))
    made = created(params, perform.now_ms, identity)
    if identity.profile.retention_ends:
        retention = part(perform.effect.args, "options", "retention")
        if not is_retention(decode(retention or UNDEFINED)):
            return Answer(None, errors.refused("body", "The retention of the instance is invalid"))
        made = replace(made, retention=read_retention(retention))
    return Answer(made, Returned(handle_value(identity)))


def _scheduled(local: Instance | None, perform: Perform, identity: Identity) -> Answer:
    """A firing of a schedule creates an instance; the same firing again does nothing (R-CRON-1)."""
    if local is not None:
        return Answer(local, errors.already_exists(identity.instance_id))
    schedule = part(perform.effect.args, "options", "schedule")
    made = created(encode({}), perform.now_ms, identity)
    return Answer(replace(made, schedule=schedule), Returned(handle_value(identity)))


def created(params: Value, now_ms: int, identity: Identity) -> Instance:
    """A new instance, queued (R-CR-1)."""
    has_clock = Read.CLOCK in identity.reads()
    now = now_ms if has_clock else 0
    log = Log((), is_kept=Read.LOG in identity.reads(), now_ms=now)
    log.created(params)
    return Instance(Status.QUEUED, params, created_ms=now, now_ms=now, log=log.entries)


# -- reading ----------------------------------------------------------------------------------


def _get(local: Instance, perform: Perform, identity: Identity) -> Answer:
    return Answer(local, Returned(handle_value(identity)))


def _status(local: Instance, perform: Perform, identity: Identity) -> Answer:
    is_local = identity.profile.status_is_local
    if perform.back.fate is Fate.STATUS_UNKNOWN:
        return Answer(local, Returned(unknown_status(is_local=is_local)))
    shown = earlier(local) if perform.back.fate is Fate.STATUS_STALE else local
    return Answer(local, Returned(status_value(shown, is_local=is_local)))


# -- events -----------------------------------------------------------------------------------


def _send_event(local: Instance, perform: Perform, identity: Identity) -> Answer:
    if part(perform.effect.args, "options") in (None, UNDEFINED):
        message = "Cannot read properties of undefined (reading 'payload')"
        return Answer(local, errors.plain(message, "TypeError"))
    kind = part(perform.effect.args, "options", "type") or UNDEFINED
    if identity.profile.names_are_checked and not is_instance_id(decode(kind)):
        return Answer(local, errors.plain("Invalid event type"))
    if local.status.is_terminal:
        if identity.profile.terminal_send_refused:
            message = "Cannot send an event to an instance that is not running"
            return Answer(local, errors.refused("instance.not_running", message))
        return Answer(local, Returned(UNDEFINED))
    payload = part(perform.effect.args, "options", "payload")
    if payload is None:
        payload = UNDEFINED
    if len(payload.encode()) > PAYLOAD_BYTES_MAX and identity.profile.names_are_checked:
        return Answer(local, errors.plain("The event payload is larger than 1MiB"))
    turn = Turn(local, identity)
    receive_event(turn, kind, payload)
    return _done(turn)


# -- lifecycle --------------------------------------------------------------------------------


def _pause(local: Instance, perform: Perform, identity: Identity) -> Answer:
    """R-LC-1, R-LC-2: only a running or waiting instance pauses, at a step boundary."""
    if local.status is Status.WAITING or (
        local.status is Status.RUNNING and local.live is None and local.back_ms is None
    ):
        turn = Turn(local, identity)
        turn.set_status(Status.WAITING_FOR_PAUSE)
        turn.instance = replace(turn.instance, back_ms=None)
        turn.set_status(Status.PAUSED)
        return _done(turn)
    if local.status is not Status.RUNNING:
        return Answer(local, Returned(UNDEFINED))
    turn = Turn(local, identity)
    if local.live is None:
        # The engine is down; it finds the request when it comes back (R-HIB-3).
        turn.set_status(Status.WAITING_FOR_PAUSE)
        turn.instance = replace(turn.instance, back_ms=None)
        turn.set_status(Status.PAUSED)
    else:
        turn.set_status(Status.WAITING_FOR_PAUSE)
        drain(turn)
    return _done(turn)


def _resume(local: Instance, perform: Perform, identity: Identity) -> Answer:
    """R-LC-3: a paused instance starts again from the top; a pending pause is called off."""
    if local.status is Status.PAUSED and local.live is not None and BODY in dict(local.live.fibers):
        # A body that swallowed the error of the pause still runs, and no other is started.
        return Answer(replace(local, status=Status.QUEUED), Returned(UNDEFINED))
    if local.status is Status.PAUSED and identity.profile.consumed_events_stay:
        local = replace(local, events=())
    if local.status is Status.PAUSED:
        return Answer(replace(local, status=Status.QUEUED, back_ms=0), Returned(UNDEFINED))
    if local.status is Status.WAITING_FOR_PAUSE:
        turn = Turn(local, identity)
        turn.set_status(Status.RUNNING)
        return _done(turn)
    return Answer(local, Returned(UNDEFINED))


def _terminate(local: Instance, perform: Perform, identity: Identity) -> Answer:
    """R-LC-6, R-LC-7."""
    if local.status.is_terminal:
        message = "Cannot terminate instance since its on a finite state"
        return Answer(local, errors.refused("instance.cannot_terminate", message))
    turn = Turn(local, identity)
    wanted = part(perform.effect.args, "options", "rollback")
    if wanted == "true" and is_eligible(turn):
        if not turn.handlers:
            turn.drop_lifetime()
            replay_pass(turn)
        body = turn.fibers[BODY]
        if not identity.profile.callbacks_outlive_abort:
            turn.fibers.clear()
        turn.fibers[BODY] = replace(body, pending=(), outcome=Threw(errors.TERMINATED))
        turn.instance = replace(turn.instance, status=Status.RUNNING, back_ms=None)
        # A caller that dies or misses the answer need not wait for it.
        is_awaited = perform.back.fate is Fate.NORMAL
        reply = perform.back if is_awaited else None
        start_rollback(turn, errors.TERMINATED, Status.TERMINATED, reply)
        drain(turn)
        done = _done(turn)
        return replace(done, outcome=None) if is_awaited else done
    if not identity.profile.callbacks_outlive_abort:
        turn.drop_lifetime()
    elif perform.back.owner == identity.address:
        # What terminates its own instance stops at the call (R-LC-12).
        turn.fibers.pop(perform.back.fiber, None)
    end_instance(turn, Status.TERMINATED, None)
    return _done(turn)


def _restart(local: Instance, perform: Perform, identity: Identity) -> Answer:
    """R-LC-8, R-LC-9: from zero, or from a step."""
    origin = part(perform.effect.args, "options", "from")
    fresh = replace(
        created(local.params, local.now_ms, identity),
        created_ms=local.created_ms,
        schedule=local.schedule,
        lifetimes=local.lifetimes,
        retention=local.retention,
        loose=LooseEnds(is_deployed=local.loose.is_deployed),
    )
    if origin is None or origin in (UNDEFINED, NULL):
        return _restarted(local, fresh, perform, identity)
    identity.code.require(identity.class_name, Read.ORDER)
    tree = decode(origin)
    key = _origin_key(local, tree)
    if key is None:
        name = tree.get("name", "undefined") if isinstance(tree, dict) else "undefined"
        message = f'Step "{name}" not found in execution history'
        return Answer(local, errors.refused("instance.cannot_restart", message))
    kept: tuple[Key, ...] = local.started[: local.started.index(key)]
    undone = [Key(each.name, each.count, Kind.ROLLBACK) for each in kept]
    # All timers go: a kept sleep is over, a kept wait has its whole timeout again.
    after = replace(
        fresh,
        steps=tuple(
            replace(each, retry_ms=None)
            for each in local.steps
            if each.key in kept or each.key in undone
        ),
        sleeps=tuple(replace(each, left_ms=None) for each in local.sleeps if each.key in kept),
        waits=tuple(
            each if each.outcome is not None else replace(each, left_ms=each.timeout_ms)
            for each in local.waits
            if each.key in kept
        ),
        started=kept,
        outputs=tuple(each for each in local.outputs if each[0] in kept),
        log=without(local.log, (*kept, *undone)),
    )
    return _restarted(local, after, perform, identity)


def _restarted(local: Instance, after: Instance, perform: Perform, identity: Identity) -> Answer:
    turn = Turn(local, identity)
    if perform.back.fate is Fate.RESTART_HALF:
        abort_only(turn)
        return _done(turn)
    is_self = perform.back.owner == ("workflow", identity.binding, identity.instance_id)
    if is_self and not identity.profile.restart_is_atomic:
        # The engine is aborted and the caller with it, so nobody asks for the rest (R-LC-10).
        crash(turn)
        return _done(turn)
    turn.drop_lifetime()
    turn.out += broken(local, identity)
    return Answer(after, Returned(UNDEFINED), (), tuple(turn.out))


def _origin_key(local: Instance, tree: Plain) -> Key | None:
    """The started step that is meant: the n-th of that name and kind in the order of starts."""
    if not isinstance(tree, dict) or not isinstance(tree.get("name"), str):
        return None
    count = tree.get("count", 1)
    kind = tree.get("type", Kind.DO.value)
    known = {each.value: each for each in (Kind.DO, Kind.SLEEP, Kind.WAIT)}
    if not isinstance(count, int) or not isinstance(kind, str) or kind not in known:
        return None
    wanted = (str(tree["name"]), known[kind])
    found = [key for key in local.started if (key.name, key.kind) == wanted]
    return found[count - 1] if 1 <= count <= len(found) else None


def _delete(local: Instance, perform: Perform, identity: Identity) -> Answer:
    """R-LC-11: everything is gone, and the id is free again."""
    turn = Turn(local, identity)
    turn.note(RecordKind.NOTE, "deleted")
    return Answer(None, Returned(UNDEFINED), (), broken(local, identity))


def _subscribe(local: Instance, perform: Perform, identity: Identity) -> Answer:
    return Answer(local, subscribe(local, perform, identity))


def _next(local: Instance, perform: Perform, identity: Identity) -> Answer:
    after, outcome = next_event(local, perform, identity)
    return Answer(after, outcome)


def _done(turn: Turn) -> Answer:
    after = turn.freeze()
    return Answer(after, Returned(UNDEFINED), tuple(turn.notes), tuple(turn.out))


_METHODS: dict[str, Callable[[Instance, Perform, Identity], Answer]] = {
    "get": _get,
    "status": _status,
    "sendEvent": _send_event,
    "pause": _pause,
    "resume": _resume,
    "terminate": _terminate,
    "restart": _restart,
    "delete": _delete,
    "subscribe": _subscribe,
    NEXT: _next,
}
