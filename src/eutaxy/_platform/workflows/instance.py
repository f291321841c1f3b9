"""A Workflow instance as a component: its choices, and what each message does to it.

Theory: between two choices an instance is durable records plus, while a lifetime is up, fibers with
pending effects (see `state.py`). Beginning an attempt (`step_start`), ending one (`step_result`) and
storing how `run` ended (`run_result`) are effects like calls: the activation may die around each.
Reading guide: `choices` lists what may happen; `on` opens a `Turn`, does it, and freezes the result.
Editing rules: a new effect needs its choice, its crash points and its line in the trace here; what it
means for the records belongs in `turn.py`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from eutaxy._base.code import Outcome, Read, Returned, Threw
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Plain, Value, decode, encode
from eutaxy._base.value_parts import compose, part
from eutaxy._platform.call import LOST, Act, Answered, Fate, Hear, Perform, Return, Router
from eutaxy._platform.fiber import Fiber, Phase, fiber_choices, fiber_tick
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.state import (
    BODY,
    Instance,
    Key,
    Live,
    RunPhase,
    Status,
    StepRecord,
    StepRun,
)
from eutaxy._platform.workflows.turn import Identity, Turn, is_instance_id, live_timer
from eutaxy._world.component import Address, Choice, Gate, Local, Step
from eutaxy.errors import UnmodelledError


@dataclass(frozen=True, slots=True)
class Start:
    """Choice: the engine starts and runs `run` from the top."""


@dataclass(frozen=True, slots=True)
class StartAttempt:
    """Choice: the next attempt of a step begins (`step_start`)."""

    key: Key
    fate: Fate = Fate.NORMAL


@dataclass(frozen=True, slots=True)
class StoreAttempt:
    """Choice: a callback has ended and its result is stored (`step_result`)."""

    key: Key
    fate: Fate = Fate.NORMAL


@dataclass(frozen=True, slots=True)
class StoreRun:
    """Choice: `run` has ended and the instance with it (`run_result`)."""

    fate: Fate = Fate.NORMAL


@dataclass(frozen=True, slots=True)
class Expire:
    """Choice: an attempt runs out of time."""

    key: Key


@dataclass(frozen=True, slots=True)
class WakeSleep:
    """Choice: a sleep is over."""

    key: Key


@dataclass(frozen=True, slots=True)
class WakeWait:
    """Choice: a wait gets its event, or has run out of time."""

    key: Key


def instance_address(binding: str, instance_id: str) -> Address:
    """Address of an instance."""
    return ("workflow", binding, instance_id)


class WorkflowInstance:
    """The component of one instance.

    Args:
        identity: What stays the same for it.
        route: Finds the target of a call.
    """

    def __init__(self, identity: Identity, route: Router) -> None:
        self._identity = identity
        self._route = route
        self._address = instance_address(identity.binding, identity.instance_id)
        self._target = f"Workflow:{identity.binding}"

    def initial(self) -> Local:
        """Not created."""
        return None

    # -- choices ------------------------------------------------------------------------------

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """What may happen next to the instance."""
        assert isinstance(local, Instance)
        if local.live is not None:
            return tuple(self._live_choices(local, local.live))
        if local.back_ms is not None:
            gate = Gate.START if local.back_ms == 0 else Gate.OVERLAP
            return (Choice(Start(), gate=gate),)
        if self._is_due(local):
            return (Choice(Start(), gate=Gate.START),)
        return ()

    def _live_choices(self, local: Instance, live: Live) -> list[Choice]:
        choices: list[Choice] = []
        can_crash = not local.status.is_terminal
        can_crash_before = can_crash and live.can_crash_before
        fibers = dict(live.fibers)
        steps = {record.key: record for record in local.steps}
        body = fibers.get(BODY)
        if body is not None:
            if body.outcome is not None:
                choices.append(Choice(StoreRun()))
                choices.append(Choice(StoreRun(Fate.CRASH_AFTER), Fate.CRASH_AFTER.fault))
                can_crash_before = False
            else:
                choices += fiber_choices(
                    BODY, body, can_crash=True, can_crash_before=can_crash_before
                )
                can_crash_before = can_crash_before and not body.is_busy
        for run in live.runs:
            offered = self._run_choices(run, fibers.get(run.fiber), steps[run.key], can_crash_before)
            can_crash_before = can_crash_before and not offered
            choices += offered
        watched = {BODY, *(run.fiber for run in live.runs)}
        for name, fiber in live.fibers:
            if name not in watched:
                choices += fiber_choices(
                    name, fiber, can_crash=can_crash, can_crash_before=False
                )
        sleeps = {record.key: record for record in local.sleeps}
        for sleeper in live.sleepers:
            if not sleeps[sleeper.key].left_ms:
                choices.append(Choice(WakeSleep(sleeper.key), gate=Gate.START))
        waits = {record.key: record for record in local.waits}
        for waiter in live.waiters:
            record = waits[waiter.key]
            if record.outcome is not None or record.is_expired or record.left_ms == 0:
                choices.append(Choice(WakeWait(waiter.key), gate=Gate.START))
        return choices

    def _run_choices(
        self, run: StepRun, fiber: Fiber | None, record: StepRecord, can_crash_before: bool
    ) -> list[Choice]:
        if run.phase is RunPhase.RUNNING:
            assert fiber is not None
            if fiber.outcome is not None:
                return [
                    Choice(StoreAttempt(run.key)),
                    Choice(StoreAttempt(run.key, Fate.CRASH_AFTER), Fate.CRASH_AFTER.fault),
                ]
            choices = fiber_choices(
                run.fiber, fiber, can_crash=True, can_crash_before=can_crash_before
            )
            if run.timeout_ms == 0:
                choices.append(Choice(Expire(run.key), gate=Gate.START))
            return choices
        if run.phase is RunPhase.RETRY and record.retry_ms:
            return []
        gate = Gate.STEP if run.phase is RunPhase.START else Gate.START
        choices = [Choice(StartAttempt(run.key), gate=gate)]
        for fate in (Fate.CRASH_BEFORE, Fate.CRASH_AFTER):
            if fate is Fate.CRASH_BEFORE and not can_crash_before:
                continue
            choices.append(Choice(StartAttempt(run.key, fate), fate.fault, gate))
        return choices

    def is_running(self, local: Local) -> bool:
        """Whether a lifetime has something to do that takes no time."""
        if not isinstance(local, Instance) or local.live is None:
            return False
        fibers = dict(local.live.fibers)
        body = fibers.get(BODY)
        if body is not None and body.outcome is not None:
            return True
        if any(fiber.is_busy for fiber in fibers.values()):
            return True
        return any(
            run.phase is RunPhase.START
            or (run.phase is RunPhase.RUNNING and fibers[run.fiber].outcome is not None)
            for run in local.live.runs
        )

    # -- time ---------------------------------------------------------------------------------

    def _is_due(self, local: Instance) -> bool:
        """Whether a suspended instance has a reason to start."""
        if local.status.is_terminal:
            return False
        return self.next_timer(local) == 0

    def next_timer(self, local: Local) -> int | None:
        """The nearest of all its timers; 0 when an event is waiting to be taken."""
        assert isinstance(local, Instance)
        live = local.live
        if local.status.is_terminal:
            return live_timer(live) if live is not None else None
        if local.back_ms is not None:
            return local.back_ms
        left = [record.left_ms for record in local.sleeps if record.left_ms is not None]
        waited = None if live is None else {waiter.key for waiter in live.waiters}
        for record in local.waits:
            if waited is not None and record.key not in waited:
                continue
            if record.outcome is not None and (waited is not None or not record.is_seen):
                left.append(0)
            elif record.outcome is None:
                left.append(0 if record.is_expired else record.left_ms)
        if live is None:
            left += [step.retry_ms for step in local.steps if step.retry_ms is not None]
        else:
            steps = {record.key: record for record in local.steps}
            for run in live.runs:
                retry = steps[run.key].retry_ms
                if run.phase is RunPhase.RETRY and retry is not None:
                    left.append(retry)
                elif run.phase is RunPhase.RUNNING:
                    left.append(run.timeout_ms)
            timer = live_timer(live)
            if timer is not None:
                left.append(timer)
        return min(left) if left else None

    def tick(self, local: Local, ms: int) -> Local:
        """Every timer moves; deadlines that pass while the engine is down are remembered."""
        assert isinstance(local, Instance)
        code, name = self._identity.code, self._identity.class_name
        now = local.now_ms + ms if Read.CLOCK in code.reads(name) else 0
        live = local.live
        if live is not None:
            live = replace(
                live,
                fibers=tuple((key, fiber_tick(fiber, ms)) for key, fiber in live.fibers),
                runs=tuple(
                    replace(run, timeout_ms=max(0, run.timeout_ms - ms))
                    if run.phase is RunPhase.RUNNING
                    else run
                    for run in live.runs
                ),
            )
        return replace(
            local,
            now_ms=now,
            live=live,
            back_ms=None if local.back_ms is None else max(0, local.back_ms - ms),
            steps=tuple(
                replace(each, retry_ms=max(0, each.retry_ms - ms)) if each.retry_ms else each
                for each in local.steps
            ),
            sleeps=tuple(
                replace(each, left_ms=max(0, each.left_ms - ms)) if each.left_ms else each
                for each in local.sleeps
            ),
            waits=tuple(
                each
                if each.outcome is not None
                else replace(
                    each,
                    left_ms=max(0, each.left_ms - ms),
                    is_expired=each.is_expired or each.left_ms < ms,
                )
                for each in local.waits
            ),
        )

    # -- messages -----------------------------------------------------------------------------

    def on(self, local: Local, message: Hashable) -> Step:
        """Take a choice, hear an answer, or answer a call of the binding."""
        if isinstance(message, Perform):
            return self._perform(local, message)
        if not isinstance(local, Instance):
            assert isinstance(message, Answered)
            return Step(local)
        turn = Turn(local, self._identity)
        if isinstance(message, Act):
            return self._act(local, turn, message)
        if isinstance(message, Answered):
            self._answered(turn, message)
        elif isinstance(message, Hear):
            self._hear(turn, message)
        elif isinstance(message, Start):
            turn.begin()
        elif isinstance(message, StartAttempt):
            self._start_attempt(turn, message)
        elif isinstance(message, StoreAttempt):
            self._store_attempt(turn, message)
        elif isinstance(message, StoreRun):
            self._store_run(turn, message)
        elif isinstance(message, Expire):
            turn.expire_attempt(message.key)
        elif isinstance(message, WakeSleep):
            turn.end_sleep(next(each for each in turn.sleepers if each.key == message.key))
            turn.drain()
        else:
            assert isinstance(message, WakeWait)
            turn.end_wait(next(each for each in turn.waiters if each.key == message.key))
            turn.drain()
        return Step(turn.freeze(), (), tuple(turn.notes))

    def _act(self, local: Instance, turn: Turn, act: Act) -> Step:
        effect = turn.fibers[act.fiber].find(act.ordinal).effect
        target, shown = self._route(effect)
        if act.fate is Fate.CRASH_BEFORE:
            self._fault(turn, act.fate, shown, is_before=True)
            turn.crash()
        elif act.fate is Fate.REQUEST_LOST:
            turn.note(
                RecordKind.EFFECT,
                shown,
                args=effect.args,
                answer=LOST.value,
                place=effect.place,
            )
            self._fault(turn, act.fate, shown)
            turn.can_crash_before = False
            turn.observe(act.fiber, act.ordinal, LOST)
            turn.drain()
        else:
            back = Return(self._address, act.fiber, act.ordinal, act.fate)
            return Step(local, ((target, Perform(effect, back, local.now_ms)),))
        return Step(turn.freeze(), (), tuple(turn.notes))

    def _answered(self, turn: Turn, answered: Answered) -> None:
        back, outcome = answered.back, answered.outcome
        fiber = turn.fibers.get(back.fiber)
        if fiber is None or not fiber.has(back.ordinal):
            return
        pending = fiber.find(back.ordinal)
        turn.note(
            RecordKind.EFFECT,
            answered.shown,
            args=pending.effect.args,
            answer=outcome.value,
            place=pending.effect.place,
        )
        if back.fate is not Fate.NORMAL:
            self._fault(turn, back.fate, answered.shown)
        turn.can_crash_before = False
        match back.fate:
            case Fate.CRASH_AFTER:
                turn.crash()
                return
            case Fate.ANSWER_LATE:
                late = replace(pending, phase=Phase.LATE, outcome=outcome, left_ms=1)
                turn.fibers[back.fiber] = fiber.with_pending(late)
                return
            case Fate.ANSWER_LOST:
                outcome = LOST
            case _:
                pass
        if fiber.calls_outstanding > 1:
            landed = replace(pending, phase=Phase.LANDED, outcome=outcome)
            turn.fibers[back.fiber] = fiber.with_pending(landed)
            return
        turn.observe(back.fiber, back.ordinal, outcome)
        turn.drain()

    def _hear(self, turn: Turn, hear: Hear) -> None:
        pending = turn.fibers[hear.fiber].find(hear.ordinal)
        outcome: Outcome = pending.outcome or Returned(UNDEFINED)
        turn.observe(hear.fiber, hear.ordinal, outcome)
        turn.drain()

    def _start_attempt(self, turn: Turn, message: StartAttempt) -> None:
        shown = f"{self._target} step_start"
        if message.fate is Fate.CRASH_BEFORE:
            self._fault(turn, message.fate, shown, is_before=True)
            turn.crash()
            return
        attempt = turn.steps[message.key].attempts + 1
        turn.note(RecordKind.EFFECT, shown, args=_step_args(message.key, attempt))
        if message.fate is Fate.CRASH_AFTER:
            self._fault(turn, message.fate, shown)
            record = turn.steps[message.key]
            turn.steps[message.key] = replace(record, attempts=attempt, retry_ms=None)
            turn.crash()
            return
        turn.start_attempt(message.key)

    def _store_attempt(self, turn: Turn, message: StoreAttempt) -> None:
        shown = f"{self._target} step_result"
        run = turn.runs[message.key]
        outcome = turn.fibers[run.fiber].outcome
        assert outcome is not None
        turn.note(
            RecordKind.EFFECT,
            shown,
            args=_step_args(message.key, run.attempt),
            answer=outcome.value,
        )
        if message.fate is Fate.CRASH_AFTER:
            self._fault(turn, message.fate, shown)
            turn.crash()
            return
        turn.store_attempt(message.key)

    def _store_run(self, turn: Turn, message: StoreRun) -> None:
        shown = f"{self._target} run_result"
        outcome = turn.fibers[BODY].outcome
        assert outcome is not None
        turn.note(RecordKind.EFFECT, shown, answer=outcome.value)
        if message.fate is Fate.CRASH_AFTER:
            self._fault(turn, message.fate, shown)
            turn.crash()
            return
        turn.finish()

    def _fault(self, turn: Turn, fate: Fate, shown: str, *, is_before: bool = False) -> None:
        activation = self._identity.activation
        turn.notes.append(
            Note(
                kind=RecordKind.FAULT,
                activation=activation,
                source=activation,
                text=fate.value,
                fault=fate.fault,
                struck=shown,
                is_before=is_before,
            )
        )

    # -- the binding --------------------------------------------------------------------------

    def _perform(self, local: Local, perform: Perform) -> Step:
        operation = perform.effect.operation
        args = decode(perform.effect.args)
        assert isinstance(args, dict)
        after, outcome, notes = self._answer(local, operation, args, perform)
        shown = f"{self._target} {operation}"
        answered = Answered(perform.back, outcome, shown)
        return Step(after, ((perform.back.owner, answered),), notes)

    def _answer(
        self, local: Local, operation: str, args: dict[str, Plain], perform: Perform
    ) -> tuple[Local, Outcome, tuple[Note, ...]]:
        handle = Returned(encode({"id": self._identity.instance_id}))
        if operation == "create":
            if isinstance(local, Instance):
                message = f"Provided id {self._identity.instance_id!r} already exists"
                return local, errors.refused("instance.already_exists", message), ()
            return self._created(perform), handle, ()
        if not isinstance(local, Instance):
            return local, errors.not_found(), ()
        match operation:
            case "get":
                return local, handle, ()
            case "status":
                return local, Returned(status_value(local)), ()
            case "sendEvent":
                return self._receive(local, args, perform)
        raise UnmodelledError(
            f"calling {operation} of Workflow instance {self._identity.instance_id!r}",
            f"{operation} is not modelled yet",
            "remove the call to check the rest of the Worker",
            place=perform.effect.place,
        )

    def _created(self, perform: Perform) -> Instance:
        params = part(perform.effect.args, "options", "params")
        has_clock = Read.CLOCK in self._identity.code.reads(self._identity.class_name)
        now = perform.now_ms if has_clock else 0
        params = params if params is not None else encode({})
        return Instance(Status.QUEUED, params, created_ms=now, now_ms=now)

    def _receive(
        self, local: Instance, args: dict[str, Plain], perform: Perform
    ) -> tuple[Local, Outcome, tuple[Note, ...]]:
        options = args.get("options")
        if not isinstance(options, dict) or not is_instance_id(str(options.get("type", ""))):
            return local, Threw(errors.error_value("Error", "Invalid event type")), ()
        if local.status.is_terminal:
            if self._identity.profile.is_terminal_send_refused:
                message = f"Instance {self._identity.instance_id!r} is not running"
                return local, errors.refused("instance.not_running", message), ()
            return local, Returned(UNDEFINED), ()
        turn = Turn(local, self._identity)
        payload = part(perform.effect.args, "options", "payload")
        turn.receive(str(options["type"]), payload if payload is not None else UNDEFINED)
        return turn.freeze(), Returned(UNDEFINED), tuple(turn.notes)


def status_value(local: Instance) -> Value:
    """What `status()` returns (1.3, prod shape)."""
    output: Plain = {"$": "undefined"}
    error: Plain = {"$": "undefined"}
    if isinstance(local.result, Returned):
        output = decode(local.result.value)
    elif isinstance(local.result, Threw):
        name, message = errors.error_parts(local.result.value)
        error = {"name": name, "message": message}
    tree: dict[str, Plain] = {"status": local.status.value}
    if output != {"$": "undefined"}:
        tree["output"] = output
    if error != {"$": "undefined"}:
        tree["error"] = error
    tree["rollback"] = None
    return encode(tree)


def row_value(instance_id: str, local: Instance) -> Value:
    """The row of an instance, as `workflowRows` shows it."""
    status = decode(status_value(local))
    assert isinstance(status, dict)
    return encode(
        {
            "id": instance_id,
            "status": status["status"],
            "params": decode(local.params),
            "output": status.get("output"),
            "error": status.get("error"),
        }
    )


def _step_args(key: Key, attempt: int) -> Value:
    return encode({"step": key.name, "count": key.count, "attempt": attempt})


