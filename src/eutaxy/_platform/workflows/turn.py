"""The working copy of an instance during one transition.

Theory: the engine answers by itself what needs nobody else (a cached step, a buffered event, a
sleep that is over), at once and in call order (R-PAR-3). Such answers are queued in `due`, and
each is one observation: the code runs until it is quiet before it gets the next. What code asks
for is queued in `issued` in call order. `engine.drain` works through both; everything else stays
pending and becomes a choice of `instance.py`.

Editing rules: this module knows fibers and records, not what steps or waits mean; those are
`steps.py`, `waits.py` and `rollback.py`, which never drain.
"""

from __future__ import annotations

from dataclasses import replace

from eutaxy._base.code import (
    Answer,
    Effect,
    EffectKind,
    Invoke,
    LifeId,
    NodeId,
    Outcome,
    Reaction,
    Read,
    Returned,
    Threw,
)
from eutaxy._base.note import Diagnostic, Note
from eutaxy._base.record import RecordKind
from eutaxy._base.value import Value, encode
from eutaxy._base.value_json import json_form
from eutaxy._platform.call import LOST, Answered, Out, Return
from eutaxy._platform.fiber import Fiber, Phase, pending_of
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.identity import Identity
from eutaxy._platform.workflows.log import Log
from eutaxy._platform.workflows.state import (
    BODY,
    Handler,
    Instance,
    Key,
    Kind,
    Live,
    Rollback,
    SleepRecord,
    Status,
    StepRun,
    Waiter,
    WaitRecord,
    without_torn,
)
from eutaxy._platform.workflows.suspension import forget_spent_timers, is_suspendable
from eutaxy._world.component import Step


class Turn:
    """A working copy of an instance.

    Attributes:
        is_replay_pass: The body only runs to register rollback handlers; steps never execute
            (R-LC-7).
    """

    def __init__(self, instance: Instance, identity: Identity) -> None:
        self.identity = identity
        self.profile = identity.profile
        self.instance = without_torn(instance)
        self.notes: list[Note | Diagnostic] = []
        self.out: list[Out] = []
        self.steps = {record.key: record for record in instance.steps}
        self.sleeps = {record.key: record for record in instance.sleeps}
        self.waits = {record.key: record for record in instance.waits}
        self.started = list(instance.started)
        self.events = list(instance.events)
        self.oddities: list[tuple[str, str]] = []
        is_logging = Read.LOG in self.reads()
        self.log = Log(instance.log, is_kept=is_logging, now_ms=instance.now_ms)
        self.slots = {(slot.type, slot.index): slot for slot in instance.slots}
        self.issued: list[tuple[str, NodeId, Effect]] = []
        self.due: list[tuple[str, int, Outcome]] = []
        self.begun: list[tuple[Key, str]] = []  # steps called and not done, with their places
        self.is_replay_pass = False
        live = instance.live
        self.is_live = live is not None
        self.life: LifeId | None = live.life if live else None
        self.fibers: dict[str, Fiber] = dict(live.fibers) if live else {}
        self.counts = {(kind, name): n for kind, name, n in live.counts} if live else {}
        self.runs: dict[Key, StepRun] = {run.key: run for run in live.runs} if live else {}
        self.sleepers: list[Waiter] = list(live.sleepers) if live else []
        self.waiters: list[Waiter] = list(live.waiters) if live else []
        self.handlers: list[Handler] = list(live.handlers) if live else []
        self.rollback: Rollback | None = live.rollback if live else None
        self.permits_lost = live.permits_lost if live else 0
        self.can_crash_before = live.can_crash_before if live else True
        self.stern: dict[str, tuple[str, str]] = dict(live.stern) if live else {}

    # -- fibers -------------------------------------------------------------------------------

    def absorb(self, name: str, reaction: Reaction) -> None:
        """Take in what a fiber did."""
        fiber = replace(self.fibers[name], node=reaction.node)
        self.life = reaction.life
        for effect in reaction.effects:
            if effect.kind in (EffectKind.CALL, EffectKind.TIMER):
                fiber = replace(fiber, pending=(*fiber.pending, pending_of(effect)))
            elif name != BODY or fiber.outcome is None:
                self.issued.append((name, reaction.node, effect))
        if reaction.outcome is not None:
            fiber = replace(fiber, outcome=reaction.outcome)
            self._diagnose_swallowed(name, reaction.outcome)
        self.fibers[name] = fiber.without_all(reaction.cancelled)
        for told in reaction.others:
            other = next((key for key, each in self.fibers.items() if each.node == told.node), None)
            if other is not None:
                self.absorb(other, told)
        self.end_superseded(name)

    def _diagnose_swallowed(self, name: str, outcome: Outcome) -> None:
        """Point out code that takes an error by which the engine stops it for a failed step."""
        stern, place = self.stern.pop(name, ("", ""))
        if stern and isinstance(outcome, Returned):
            who = "run()" if name == BODY else f"the callback of step {name.rpartition(':')[0]}"
            self.diagnose(
                "swallowed-error",
                f"{who} returned although the engine had thrown to it: {stern!r}. No retry helps "
                "there; let its catch block rethrow what it does not expect",
                place,
            )

    def start_fiber(self, name: str, node: NodeId, invoke: Invoke) -> None:
        """Start a fiber from a node and take in what it does first."""
        assert self.life is not None
        reaction = self.identity.code.move(self.life, node, invoke)
        self.fibers[name] = Fiber(reaction.node)
        self.absorb(name, reaction)

    def observe(self, name: str, ordinal: int, outcome: Outcome) -> None:
        """Let a fiber hear one answer."""
        fiber = self.fibers.get(name)
        if fiber is None:
            return
        self.fibers[name] = fiber.without(ordinal)
        if fiber.outcome is not None:
            self.end_superseded(name)
            return
        assert self.life is not None
        answer = Answer(ordinal, outcome, self.now_ms)
        self.absorb(name, self.identity.code.move(self.life, fiber.node, answer))

    def settle(self, name: str, ordinal: int, outcome: Outcome, place: str = "") -> None:
        """Queue an answer to what was called at `place`; an error is a copy that has crossed into
        the code (R-ERR-2)."""
        if isinstance(outcome, Threw):
            stern = errors.stern(outcome.value)
            if stern:
                self.stern.setdefault(name, (stern, place))
            outcome = self.crossed(outcome)
        self.due.append((name, ordinal, outcome))

    def crossed(self, thrown: Threw) -> Threw:
        """A thrown value as the other side of the step boundary sees it (R-ERR-2)."""
        identity = self.identity
        mark = identity.object_id if self.profile.thrown_objects_are_marked else ""
        return errors.crossed(thrown, is_enhanced=identity.errors_are_enhanced, mark=mark)

    def end_superseded(self, name: str) -> None:
        """Drop a fiber that nobody waits for once nothing that it can still do matters."""
        fiber = self.fibers.get(name)
        heard = (run.fiber for run in self.runs.values() if run.is_attempting)
        if fiber is None or name == BODY or name in heard:
            return
        if fiber.outcome is not None:
            # What it issued and did not await is under way and still happens, unheard.
            left = tuple(each for each in fiber.pending if each.phase is Phase.NEW)
            fiber = replace(fiber, pending=left)
            self.fibers[name] = fiber
        if self._owns_something(name):
            return
        if not fiber.pending or self._ends_silently(fiber):
            del self.fibers[name]

    def _owns_something(self, name: str) -> bool:
        owners = [run.owner for run in self.runs.values()]
        owners += [waiter.owner for waiter in (*self.sleepers, *self.waiters)]
        return name in owners or any(name == each[0] for each in (*self.due, *self.issued))

    def _ends_silently(self, fiber: Fiber) -> bool:
        """Whether all that a fiber still does is to hear one known late answer and end."""
        if len(fiber.pending) != 1 or fiber.pending[0].phase is not Phase.LATE:
            return False
        pending = fiber.pending[0]
        assert pending.outcome is not None
        assert self.life is not None
        answer = Answer(pending.effect.ordinal, pending.outcome, self.now_ms)
        reaction = self.identity.code.move(self.life, fiber.node, answer)
        return reaction.outcome is not None and not reaction.effects and not reaction.others

    def defer(self, back: Return) -> None:
        """A call of this instance has been taken up and will be answered later."""
        fiber = self.fibers.get(back.fiber)
        if fiber is not None and fiber.has(back.ordinal):
            sent = replace(fiber.find(back.ordinal), phase=Phase.SENT)
            self.fibers[back.fiber] = fiber.with_pending(sent)

    def reply(self, back: Return, outcome: Outcome) -> None:
        """Answer a call that was put off."""
        shown = f"Workflow:{self.identity.binding} terminate"
        self.out.append(
            (back.owner, Answered(back, outcome, shown, deferred_by=self.identity.address))
        )

    def drop_lifetime(self) -> None:
        """Lose everything volatile."""
        if self.rollback is not None and self.rollback.reply is not None:
            self.reply(self.rollback.reply, LOST)
        self.is_live = False
        self.fibers.clear()
        self.counts.clear()
        self.runs.clear()
        self.sleepers.clear()
        self.waiters.clear()
        self.handlers.clear()
        self.rollback = None
        self.permits_lost = 0
        self.can_crash_before = True
        self.stern.clear()
        self.issued.clear()
        self.due.clear()

    # -- the new state ------------------------------------------------------------------------

    def step(self) -> Step:
        """The whole transition."""
        return Step(self.freeze(), tuple(self.out), tuple(self.notes))

    def freeze(self) -> Instance:
        """The state after the transition, suspended when nothing but long waits is left."""
        assert not self.issued
        assert not self.due
        status = self.instance.status
        is_pausing = self.is_live and status is Status.WAITING_FOR_PAUSE
        if is_pausing and not self.profile.pause_is_visible and not self.is_attempting():
            self.note(RecordKind.SUSPENDED, "paused")
            self.drop_lifetime()
            self.set_status(Status.PAUSED)
        elif self.is_live and status is Status.RUNNING and is_suspendable(self):
            self.note(RecordKind.SUSPENDED, "suspended")
            forget_spent_timers(self)
            self.drop_lifetime()
            waiting = Status.WAITING if self.profile.waiting_is_reported else Status.RUNNING
            self.set_status(waiting)
        is_over = self.instance.status.is_terminal
        is_going_on = bool(self.fibers or self.runs)
        live: Live | None = None
        if self.is_live and (is_going_on or not (is_over or status is Status.PAUSED)):
            assert self.life is not None
            live = Live(
                life=self.life,
                fibers=tuple(sorted(self.fibers.items(), key=lambda item: item[0])),
                counts=tuple((kind, name, n) for (kind, name), n in sorted(self.counts.items())),
                runs=tuple(self.runs.values()),
                sleepers=tuple(self.sleepers),
                waiters=tuple(self.waiters),
                handlers=tuple(self.handlers),
                rollback=self.rollback,
                permits_lost=self.permits_lost,
                can_crash_before=self.can_crash_before,
                stern=tuple(
                    (name, each) for name, each in self.stern.items() if name in self.fibers
                ),
            )
        by_key = sorted(self.steps, key=lambda key: key.order)
        return replace(
            self.instance,
            steps=()
            if is_over and not self.runs and not self._is_kept()
            else tuple(self.steps[key] for key in by_key),
            sleeps=self._kept_sleeps() if is_over else self._sorted_sleeps(),
            waits=self._kept_waits() if is_over else tuple(self.waits.values()),
            started=() if is_over and not self._is_kept() else tuple(self.started),
            events=() if is_over else tuple(self.events),
            slots=() if is_over else tuple(self.slots[place] for place in sorted(self.slots)),
            live=live,
            log=self.log.entries,
        )

    def set_status(self, status: Status) -> None:
        """Change to a status that is no end."""
        if status is not self.instance.status:
            self.instance = replace(self.instance, status=status)
            self.log.status(status)

    def _sorted_sleeps(self) -> tuple[SleepRecord, ...]:
        return tuple(sorted(self.sleeps.values(), key=lambda sleep: sleep.key.order))

    def _kept_sleeps(self) -> tuple[SleepRecord, ...]:
        """Sleeps of an ended instance, whose timers are gone (R-LC-9)."""
        kept = self._sorted_sleeps() if self._is_kept() else ()
        return tuple(replace(sleep, left_ms=None) for sleep in kept)

    def _kept_waits(self) -> tuple[WaitRecord, ...]:
        """Waits of an ended instance; one without outcome would begin anew."""
        kept = self.waits.values() if self._is_kept() else ()
        return tuple(wait for wait in kept if wait.outcome is not None)

    def _is_kept(self) -> bool:
        """Whether records of an ended instance still matter: something restarts from a step."""
        return Read.ORDER in self.reads()

    def is_attempting(self) -> bool:
        """Whether a pause has to wait for something (R-LC-2)."""
        return self.permits_lost > 0 or any(run.is_attempting for run in self.runs.values())

    @property
    def is_stopped(self) -> bool:
        """Whether a pause is pending or in force that user code can see (R-LC-5)."""
        stops = (Status.WAITING_FOR_PAUSE, Status.PAUSED)
        return self.profile.pause_is_visible and self.instance.status in stops

    # -- small things -------------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """Virtual time, 0 unless this code reads the clock."""
        return self.instance.now_ms

    def reads(self) -> frozenset[Read]:
        """What is part of the state for this class."""
        return self.identity.reads()

    def count(self, kind: Kind, name: str) -> int:
        """The number of a new call of that name in this lifetime (R-ID-1, R-ID-6)."""
        count = self.counts.get((kind.value, name), 0) + 1
        self.counts[kind.value, name] = count
        return count

    def note(
        self,
        kind: RecordKind,
        text: str,
        *,
        args: Value | None = None,
        answer: Value | None = None,
        place: str = "",
    ) -> None:
        """Tell something to the trace."""
        activation = self.identity.activation
        self.notes.append(
            Note(
                kind=kind,
                activation=activation,
                source=activation,
                text=text,
                args=args,
                answer=answer,
                place=place,
            )
        )

    def odd(self, invariant: str, what: str) -> None:
        """A built-in invariant is broken; `what` says by what."""
        self.oddities.append((invariant, what))

    def show_output(self, key: Key, value: Value) -> None:
        """Keep a result for the local form of the status (DIFF-15)."""
        if self.profile.status_is_local:
            shown = (key, encode(json_form(value)))
            self.instance = replace(self.instance, outputs=(*self.instance.outputs, shown))

    def diagnose(self, rule: str, text: str, place: str = "") -> None:
        """Point out something suspicious that is no verdict."""
        self.notes.append(Diagnostic(rule=rule, text=text, place=place))


def returned_or_none(outcome: Outcome | None) -> Value | None:
    """The value of a successful outcome."""
    return outcome.value if isinstance(outcome, Returned) else None
