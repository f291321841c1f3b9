"""A Workflow instance as a component: its choices, and what each message does to it.

Theory: between two choices an instance is durable records plus, while a lifetime is up, fibers with
pending effects (see `state.py`). Beginning an attempt (`step_start`), ending one (`step_result`)
and storing how `run` ended (`run_result`) are effects like calls: the activation may die around
each. Reading guide: `choices` lists what may happen; `on` opens a `Turn`, does it, and freezes the
result. Editing rules: a new effect needs its choice, its crash points and its line in the trace
here; what it means for the records belongs in `turn.py`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from eutaxy._base.code import Outcome, Read, Returned
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Value, encode
from eutaxy._platform.call import (
    FLIGHT,
    LOST,
    UNANSWERED,
    UNAPPLIED,
    Act,
    Answered,
    BeginOutage,
    Deferred,
    Fate,
    Fly,
    Hear,
    Launch,
    Observers,
    Out,
    Perform,
    Return,
    Router,
    unapplied_outcome,
)
from eutaxy._platform.fiber import LATE_MS, Phase, is_reading
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.calls import launch_of, left_in_flight, origin_of
from eutaxy._platform.workflows.choices import (
    CrashIdle,
    Expire,
    Start,
    StartAttempt,
    StartLate,
    StoreAttempt,
    StoreRun,
    WakeSleep,
    WakeWait,
    instance_choices,
    is_instance_running,
)
from eutaxy._platform.workflows.engine import begin, crash, drain, store_run
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.methods import answer_call
from eutaxy._platform.workflows.optional import kill_attempt, note_logged, with_status_before
from eutaxy._platform.workflows.optional_choices import (
    Forget,
    OptionalChoice,
    fate_of,
    take_optional,
    turn_for,
)
from eutaxy._platform.workflows.replay_check import diagnose_replay
from eutaxy._platform.workflows.retention import retained
from eutaxy._platform.workflows.state import BODY, Instance, Key, Kind
from eutaxy._platform.workflows.steps import (
    begin_attempt,
    expire_attempt,
    run_attempt,
    store_attempt,
)
from eutaxy._platform.workflows.subscriptions import told
from eutaxy._platform.workflows.telling import Teller
from eutaxy._platform.workflows.timers import instance_tick, instance_timer
from eutaxy._platform.workflows.turn import Turn
from eutaxy._platform.workflows.waits import end_sleep, end_wait
from eutaxy._world.component import Address, Choice, Local, Step

TIMER_LATE_MS = 60_000
"""How late the engine starts for a due timer when it is late (F-SL-5)."""


def instance_address(binding: str, instance_id: str) -> Address:
    """Address of an instance."""
    return ("workflow", binding, instance_id)


class WorkflowInstance:
    """The component of one instance.

    Args:
        identity: What stays the same for it.
        route: Finds the route of a call.
        observers: Who wants to hear of what happens to it.
    """

    def __init__(self, identity: Identity, route: Router, observers: Observers) -> None:
        self._identity = identity
        self._teller = Teller(identity, observers)
        self._route = route
        self._address = identity.address
        self._target = f"Workflow:{identity.binding}"

    def initial(self) -> Local:
        """Not created."""
        return None

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """What may happen next to the instance."""
        assert isinstance(local, Instance)
        me = self._identity
        return instance_choices(
            local, self._route, me.asked, binding=me.binding, one_by_one=me.one_by_one
        )

    def is_running(self, local: Local) -> bool:
        """Whether a lifetime has something to do that takes no time."""
        return isinstance(local, Instance) and is_instance_running(local)

    def next_timer(self, local: Local) -> int | None:
        """The nearest of all its timers; 0 when an event is waiting to be taken."""
        assert isinstance(local, Instance)
        return instance_timer(local)

    def tick(self, local: Local, ms: int) -> Local:
        """Every timer moves; deadlines that pass while the engine is down are remembered."""
        assert isinstance(local, Instance)
        has_clock = Read.CLOCK in self._identity.reads()
        return instance_tick(local, ms, has_clock=has_clock)

    # -- messages -----------------------------------------------------------------------------

    def on(self, local: Local, message: Hashable) -> Step:
        """Take a choice, hear an answer, or answer a call of the binding."""
        assert local is None or isinstance(local, Instance)
        step = self._handle(local, message)
        after = step.local
        if isinstance(after, Instance) and after.retention is not None:
            after = retained(after)
            step = replace(step, local=after)
        if isinstance(after, Instance) and after.listeners:
            after, out = told(after, self._identity)
            step = replace(step, local=after, out=(*step.out, *out))
        assert after is None or isinstance(after, Instance)
        after = with_status_before(local, after, self._identity.asked)
        news = self._teller.status(local, after)
        return replace(step, local=after, out=(*news, *step.out))

    def _handle(self, local: Instance | None, message: Hashable) -> Step:
        if isinstance(message, Perform):
            return self._perform(local, message)
        if isinstance(message, Launch):
            return Step(local, ((FLIGHT, Fly(self._address, message)),))
        if local is None:
            assert isinstance(message, Answered | Deferred)
            return Step(local)
        turn = Turn(local, self._identity)
        if isinstance(message, Act):
            return self._act(local, turn, message)
        if isinstance(message, Answered):
            self._answered(turn, message)
        elif isinstance(message, Deferred):
            turn.defer(message.back)
        elif isinstance(message, Hear):
            self._hear(turn, message)
        elif isinstance(message, Start):
            begin(turn)
        elif isinstance(message, Forget):
            self._fault(turn, Fate.RETENTION_OVER, "")
            return Step(None, (), tuple(turn.notes))
        elif isinstance(message, OptionalChoice):
            turn = turn_for(local, message, self._identity)
            self._fault(turn, fate_of(message), "")
            take_optional(turn, message)
        elif isinstance(message, StartLate):
            self._fault(turn, Fate.TIMER_LATE, "")
            turn.instance = replace(local, back_ms=TIMER_LATE_MS)
        elif isinstance(message, CrashIdle):
            self._fault(turn, Fate.CRASH_IDLE, "")
            crash(turn)
        elif isinstance(message, StartAttempt):
            self._start_attempt(turn, message)
        elif isinstance(message, StoreAttempt):
            return self._store_attempt(turn, message)
        elif isinstance(message, StoreRun):
            self._store_run(turn, message)
        elif isinstance(message, Expire):
            expire_attempt(turn, message.key)
            drain(turn)
        elif isinstance(message, WakeSleep):
            end_sleep(turn, message.key)
            drain(turn)
        else:
            assert isinstance(message, WakeWait)
            end_wait(turn, message.key)
            drain(turn)
        if isinstance(message, WakeSleep | WakeWait):
            return self._replayable(self._step(turn))
        return self._step(turn)

    def _step(self, turn: Turn, out: tuple[Out, ...] = ()) -> Step:
        step = turn.step()
        odd = self._teller.oddities(turn.oddities)
        return replace(step, out=(*odd, *out, *step.out)) if odd or out else step

    def _act(self, local: Instance, turn: Turn, act: Act) -> Step:
        effect = turn.fibers[act.fiber].find(act.ordinal).effect
        route = self._route(effect)
        target, shown = route.target, route.shown
        if act.fate is Fate.CRASH_BEFORE:
            self._fault(turn, act.fate, shown, is_before=True)
            crash(turn)
        elif act.fate in (Fate.CRASH_IN_FLIGHT, Fate.ATTEMPT_KILLED):
            self._fault(turn, act.fate, shown, is_before=True)
            if act.fate is Fate.ATTEMPT_KILLED:
                kill_attempt(turn, act.fiber)
                drain(turn)
            else:
                crash(turn)
            return self._step(
                turn, ((target, launch_of(self._identity, local, act.fiber, effect)),)
            )
        elif act.fate in UNAPPLIED:
            outcome = unapplied_outcome(act)
            turn.note(
                RecordKind.EFFECT,
                shown,
                args=effect.args,
                answer=outcome.value,
                place=effect.place,
            )
            self._fault(turn, act.fate, shown)
            turn.can_crash_before = False
            turn.observe(act.fiber, act.ordinal, outcome)
            drain(turn)
            began = ((target, BeginOutage()),) if act.fate is Fate.OUTAGE else ()
            return self._step(turn, began)
        else:
            back = Return(self._address, act.fiber, act.ordinal, act.fate)
            perform = Perform(
                effect, back, local.now_ms, origin_of(self._identity, act.fiber, act.ordinal)
            )
            if act.fiber == BODY and not is_reading(effect):
                turn.diagnose(
                    "R-RUN-3",
                    f"{shown} is outside of steps, so each new lifetime of the instance repeats it",
                    effect.place,
                )
            return Step(local, ((target, perform),), tuple(turn.notes))
        return self._step(turn)

    def _answered(self, turn: Turn, answered: Answered) -> None:
        back, outcome = answered.back, answered.outcome
        fiber = turn.fibers.get(back.fiber)
        if fiber is None or not fiber.expects(answered, self._route):
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
                crash(turn)
                return
            case Fate.ANSWER_LATE:
                left_ms = LATE_MS + answered.latency_ms
                late = replace(pending, phase=Phase.LATE, outcome=outcome, left_ms=left_ms)
                turn.fibers[back.fiber] = fiber.with_pending(late)
                return
            case _:
                outcome = LOST if back.fate in UNANSWERED else outcome
        if answered.latency_ms and outcome is not LOST:
            travelling = replace(
                pending, phase=Phase.TRAVEL, outcome=outcome, left_ms=answered.latency_ms
            )
            turn.fibers[back.fiber] = fiber.with_pending(travelling)
            return
        if fiber.without(back.ordinal).is_busy:
            landed = replace(pending, phase=Phase.LANDED, outcome=outcome)
            turn.fibers[back.fiber] = fiber.with_pending(landed)
            return
        turn.observe(back.fiber, back.ordinal, outcome)
        drain(turn)

    def _hear(self, turn: Turn, hear: Hear) -> None:
        pending = turn.fibers[hear.fiber].find(hear.ordinal)
        outcome: Outcome = pending.outcome or Returned(UNDEFINED)
        turn.observe(hear.fiber, hear.ordinal, outcome)
        drain(turn)

    def _start_attempt(self, turn: Turn, message: StartAttempt) -> None:
        shown = f"{self._target} {_verb(message.key)}_start"
        if message.fate is Fate.CRASH_BEFORE:
            self._fault(turn, message.fate, shown, is_before=True)
            crash(turn)
            return
        attempt = begin_attempt(turn, message.key)
        turn.note(RecordKind.EFFECT, shown, args=_step_args(message.key, attempt))
        if message.fate is Fate.CRASH_AFTER:
            self._fault(turn, message.fate, shown)
            crash(turn)
            return
        run_attempt(turn, message.key)
        drain(turn)

    def _store_attempt(self, turn: Turn, message: StoreAttempt) -> Step:
        shown = f"{self._target} {_verb(message.key)}_result"
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
            crash(turn)
            return self._step(turn)
        is_storing_failed = message.fate is Fate.STORE_FAILED
        if is_storing_failed:
            self._fault(turn, message.fate, shown)
        store_attempt(turn, message.key, is_storing_failed=is_storing_failed)
        stored = turn.steps[message.key].outcome if message.key in turn.steps else None
        news = self._teller.step(turn.instance, message.key, stored)
        drain(turn)
        return self._replayable(self._step(turn, news))

    def _replayable(self, step: Step) -> Step:
        """The transition, with what a replay from its end would do otherwise."""
        assert isinstance(step.local, Instance)
        found = diagnose_replay(step.local, self._identity)
        return replace(step, notes=(*step.notes, *found)) if found else step

    def _store_run(self, turn: Turn, message: StoreRun) -> None:
        shown = f"{self._target} run_result"
        outcome = turn.fibers[BODY].outcome
        assert outcome is not None
        turn.note(RecordKind.EFFECT, shown, answer=outcome.value)
        if message.fate is not Fate.NORMAL:
            self._fault(turn, message.fate, shown)
            if message.fate is Fate.CRASH_RUN_LOGGED:
                note_logged(turn, outcome)
            crash(turn)
            return
        store_run(turn)

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

    def _perform(self, local: Local, perform: Perform) -> Step:
        assert local is None or isinstance(local, Instance)
        answer = answer_call(local, perform, self._identity)
        shown = f"{self._target} {perform.effect.operation}"
        out = list(answer.out)
        if answer.outcome is not None:
            out += self._teller.call(perform, answer.outcome)
        if answer.outcome is None:
            out.append((perform.back.owner, Deferred(perform.back)))
        else:
            is_enhanced = self._identity.errors_are_enhanced
            outcome = errors.crossed_outcome(answer.outcome, is_enhanced=is_enhanced)
            out.append((perform.back.owner, Answered(perform.back, outcome, shown)))
        if local is not None and perform.effect.operation in ("restart", "delete"):
            left = left_in_flight(local, answer.after, perform.back, self._identity)
            out += [(self._route(each.effect).target, each) for each in left]
        return Step(answer.after, tuple(out), answer.notes)


def _verb(key: Key) -> str:
    return "step" if key.kind is Kind.DO else "rollback"


def _step_args(key: Key, attempt: int) -> Value:
    return encode({"step": key.name, "count": key.count, "attempt": attempt})
