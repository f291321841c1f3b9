"""One transition of an instance, step by step: the working copy that `instance.py` opens and freezes.

Theory: the engine answers by itself what needs nobody else (a cached step, a buffered event, a sleep
that is over), at once and in call order (R-PAR-3). Such answers are queued in `_due`, and each is one
observation: the code runs until it is quiet before it gets the next. Everything else stays pending and
becomes a choice.

Reading guide: `begin` starts a lifetime; `issue_*` handles what code asks for; `settle` queues an answer;
`drain` delivers; `freeze` gives the new state, suspended when nothing but long waits is left.

Editing rules: no method may read anything but the instance state, its arguments and the code's
reactions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from eutaxy._base.code import (
    Answer,
    Effect,
    EffectKind,
    Invoke,
    NodeId,
    Outcome,
    Part,
    Reaction,
    Read,
    Returned,
    Threw,
    UserCode,
    WorkflowEntry,
)
from eutaxy._base.duration import parse_duration
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._base.value import UNDEFINED, Plain, Value, decode, encode
from eutaxy._base.value_parts import compose
from eutaxy._platform.fiber import Fiber, Phase, fiber_timer, pending_of
from eutaxy._platform.workflows import errors
from eutaxy._platform.workflows.config import StepConfig, resolve_config
from eutaxy._platform.workflows.profile import Profile
from eutaxy._platform.workflows.state import (
    BODY,
    BufferedEvent,
    Instance,
    Key,
    Live,
    RunPhase,
    SleepRecord,
    Status,
    StepRecord,
    StepRun,
    Waiter,
    WaitRecord,
)
from eutaxy.errors import UnmodelledError


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What stays the same for an instance: its binding, its workflow and what runs it."""

    binding: str
    workflow_name: str
    class_name: str
    instance_id: str
    epoch_ms: int
    downtime_ms: int
    profile: Profile
    code: UserCode

    @property
    def activation(self) -> str:
        """Name of its lifetimes, without the number."""
        return f"workflow:{self.binding}:{self.instance_id}"


class Turn:
    """A working copy of an instance during one transition."""

    def __init__(self, instance: Instance, identity: Identity) -> None:
        self.identity = identity
        self.instance = instance
        self.notes: list[Note] = []
        self.steps = {record.key: record for record in instance.steps}
        self.sleeps = {record.key: record for record in instance.sleeps}
        self.waits = {record.key: record for record in instance.waits}
        self.events = list(instance.events)
        live = instance.live
        self.is_live = live is not None
        self.life = live.life if live else None
        self.fibers = dict(live.fibers) if live else {}
        self.counts = {(kind, name): n for kind, name, n in live.counts} if live else {}
        self.runs = {run.key: run for run in live.runs} if live else {}
        self.sleepers = list(live.sleepers) if live else []
        self.waiters = list(live.waiters) if live else []
        self.can_crash_before = live.can_crash_before if live else True
        self._due: list[tuple[str, int, Outcome]] = []

    # -- lifetimes ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a lifetime: `run` from the top (R-HIB-3)."""
        identity, instance = self.identity, self.instance
        reads = self._reads()
        lifetimes = instance.lifetimes + 1 if Read.RANDOM in reads else 0
        self.instance = replace(
            instance, status=Status.RUNNING, back_ms=None, lifetimes=lifetimes
        )
        self.note(RecordKind.START, "")
        salt = f"{identity.activation}#{lifetimes}" if Read.RANDOM in reads else ""
        reaction = identity.code.start(
            WorkflowEntry(
                class_name=identity.class_name,
                event=self._event_value(),
                now_ms=self.now_ms,
                salt=salt,
            )
        )
        self.is_live = True
        self.life = reaction.life
        self.fibers[BODY] = Fiber(reaction.node)
        self._absorb(BODY, reaction)
        self.drain()

    def crash(self) -> None:
        """Lose everything volatile (4.1); the engine is back after the downtime."""
        self._drop_lifetime()
        self.instance = replace(self.instance, back_ms=self.identity.downtime_ms)

    def finish(self) -> None:
        """Store how `run` ended (R-RUN-1, R-RUN-2); unfinished callbacks live on."""
        outcome = self.fibers[BODY].outcome
        assert outcome is not None
        status = Status.COMPLETE if isinstance(outcome, Returned) else Status.ERRORED
        self.instance = replace(self.instance, status=status, result=outcome)
        self.runs.clear()
        self.sleepers.clear()
        self.waiters.clear()
        del self.fibers[BODY]
        for name in list(self.fibers):
            self._end_superseded(name)
        self.note(RecordKind.END, status.value, answer=outcome.value)

    def _drop_lifetime(self) -> None:
        self.is_live = False
        self.fibers.clear()
        self.counts.clear()
        self.runs.clear()
        self.sleepers.clear()
        self.waiters.clear()
        self.can_crash_before = True

    # -- what code asks for -------------------------------------------------------------------

    def _absorb(self, name: str, reaction: Reaction) -> None:
        fiber = replace(self.fibers[name], node=reaction.node)
        self.life = reaction.life
        calls = [e for e in reaction.effects if e.kind in (EffectKind.CALL, EffectKind.TIMER)]
        fiber = replace(fiber, pending=fiber.pending + tuple(pending_of(e) for e in calls))
        if reaction.outcome is not None:
            fiber = replace(fiber, outcome=reaction.outcome)
        self.fibers[name] = fiber
        if fiber.outcome is None or name != BODY:
            for effect in reaction.effects:
                if effect.kind is EffectKind.STEP:
                    self._issue_step(name, reaction.node, effect)
                elif effect.kind is EffectKind.SLEEP:
                    self._issue_sleep(name, effect)
                elif effect.kind is EffectKind.WAIT:
                    self._issue_wait(name, effect)
        for node, effects, outcome in reaction.others:
            other = next(key for key, each in self.fibers.items() if each.node == node)
            self._absorb(other, Reaction(reaction.life, node, effects, outcome))
        self._end_superseded(name)

    def _end_superseded(self, name: str) -> None:
        """Drop a fiber that nobody waits for once nothing that it can still do matters."""
        fiber = self.fibers.get(name)
        if fiber is None or name == BODY or any(run.fiber == name for run in self.runs.values()):
            return
        if fiber.outcome is not None:
            # What it issued and did not await is under way and still happens, unheard.
            left = tuple(each for each in fiber.pending if each.phase is Phase.NEW)
            fiber = replace(fiber, pending=left)
            self.fibers[name] = fiber
        if not fiber.pending or self._ends_silently(fiber):
            del self.fibers[name]

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

    def _issue_step(self, owner: str, node: NodeId, effect: Effect) -> None:
        args = _mapping(effect.args)
        refusal = self._refuse_step(effect, args)
        if refusal is not None:
            self._settle(owner, effect.ordinal, refusal)
            return
        key = Key(effect.name, self._count("do", effect.name))
        record = self.steps.get(key, StepRecord(key))
        if record.outcome is not None:
            self.note(RecordKind.NOTE, f"step {key} replayed", answer=record.outcome.value)
            self._settle(owner, effect.ordinal, record.outcome)
            return
        if record.config is None:
            config = resolve_config(
                args.get("config"),
                has_delay_function=args.get("hasDelayFunction") is True,
                profile=self.identity.profile,
            )
            assert config is not None
            self.steps[key] = replace(record, config=config)
        phase = RunPhase.START if record.retry_ms is None else RunPhase.RETRY
        self.runs[key] = StepRun(key, owner, effect.ordinal, node, phase)

    def _refuse_step(self, effect: Effect, args: dict[str, Plain]) -> Threw | None:
        """The refusals of 2.2 point 1, in their order; None when the step may run."""
        if args.get("rollback", _UNDEFINED) != _UNDEFINED:
            raise UnmodelledError(
                f"running step {effect.name!r}",
                "rollback handlers of steps are not modelled yet",
                "remove the rollback options to check the rest of the Workflow",
                place=effect.place,
            )
        called = sum(n for (kind, _), n in self.counts.items() if kind == "do")
        if called >= self.identity.profile.steps_max:
            return errors.fatal(
                f"The limit of {self.identity.profile.steps_max} steps has been reached"
            )
        if len(effect.name) > 256 or any(char < " " for char in effect.name):
            return errors.fatal("Step name is too long or has invalid characters")
        config = resolve_config(
            args.get("config"),
            has_delay_function=args.get("hasDelayFunction") is True,
            profile=self.identity.profile,
        )
        if config is None:
            return errors.fatal("Step config is in an invalid format")
        if args.get("hasCallback") is not True:
            return errors.fatal("A step needs a callback")
        if args.get("hasDelayFunction") is True:
            raise UnmodelledError(
                f"running step {effect.name!r}",
                "a function as retries.delay is not modelled yet",
                "use a fixed delay to check the rest of the Workflow",
                place=effect.place,
            )
        return None

    def _issue_sleep(self, owner: str, effect: Effect) -> None:
        args = _mapping(effect.args)
        key = Key(effect.name, self._count("sleep", effect.name))
        record = self.sleeps.get(key)
        if record is None:
            asked = self._sleep_ms(effect, args)
            if isinstance(asked, Threw):
                self._settle(owner, effect.ordinal, asked)
                return
            record = SleepRecord(key, max(0, asked))
            self.sleeps[key] = record
            self.note(RecordKind.NOTE, f"{effect.operation} {key}", args=effect.args)
        if record.left_ms is None:
            self.note(RecordKind.NOTE, f"sleep {key} replayed")
            self._settle(owner, effect.ordinal, Returned(UNDEFINED))
        elif record.left_ms == 0:
            self._end_sleep(Waiter(key, owner, effect.ordinal))
        else:
            self.sleepers.append(Waiter(key, owner, effect.ordinal))

    def _sleep_ms(self, effect: Effect, args: dict[str, Plain]) -> int | Threw:
        if effect.operation == "sleep":
            duration = args.get("duration")
            if isinstance(duration, bool) or not isinstance(duration, int | float | str):
                return errors.fatal(f"Invalid duration of sleep {effect.name!r}")
            ms = parse_duration(duration).ms
            return errors.fatal(f"Invalid duration of sleep {effect.name!r}") if ms is None else ms
        until = args.get("until")
        if isinstance(until, dict) and until.get("$") == "date":
            until = until.get("of")
        if isinstance(until, bool) or not isinstance(until, int | float):
            return errors.fatal(f"Invalid time of sleepUntil {effect.name!r}")
        self.identity.code.require(self.identity.class_name, Read.CLOCK)
        left = int(until) - self.identity.epoch_ms - self.now_ms
        if left < 0:
            return Threw(encode_error("Error", "You can't sleep until a time in the past"))
        return left

    def _issue_wait(self, owner: str, effect: Effect) -> None:
        key = Key(effect.name, self._count("wait", effect.name))
        waiter = Waiter(key, owner, effect.ordinal)
        record = self.waits.get(key)
        if record is None:
            made = self._new_wait(key, effect)
            if isinstance(made, Threw):
                self._settle(owner, effect.ordinal, made)
                return
            record = made
            self.note(RecordKind.NOTE, f"waitForEvent {key}", args=effect.args)
            buffered = next((e for e in self.events if e.type == record.type), None)
            if buffered is not None:
                self.events.remove(buffered)
                record = replace(record, outcome=Returned(buffered.value))
            self.waits[key] = record
        self.waiters.append(waiter)
        if record.outcome is not None or record.is_expired or record.left_ms == 0:
            self.end_wait(waiter)

    def _new_wait(self, key: Key, effect: Effect) -> WaitRecord | Threw:
        options = _mapping(effect.args).get("options", _UNDEFINED)
        if not isinstance(options, dict) or options == _UNDEFINED:
            return Threw(encode_error("TypeError", "waitForEvent needs options"))
        kind = options.get("type")
        if not isinstance(kind, str) or not is_event_type(kind):
            return errors.fatal(f"Invalid event type of waitForEvent {effect.name!r}")
        timeout = options.get("timeout", _UNDEFINED)
        if timeout in (_UNDEFINED, 0):
            timeout = "24 hours"
        if isinstance(timeout, bool) or not isinstance(timeout, int | float | str):
            return errors.fatal(f"Invalid timeout of waitForEvent {effect.name!r}")
        ms = parse_duration(timeout).ms
        if ms is None:
            return errors.fatal(f"Invalid timeout of waitForEvent {effect.name!r}")
        return WaitRecord(key, kind, max(0, ms), max(0, ms))

    # -- answers ------------------------------------------------------------------------------

    def _settle(self, name: str, ordinal: int, outcome: Outcome) -> None:
        self._due.append((name, ordinal, outcome))

    def drain(self) -> None:
        """Deliver queued answers, one observation each."""
        while self._due:
            name, ordinal, outcome = self._due.pop(0)
            self.observe(name, ordinal, outcome)

    def observe(self, name: str, ordinal: int, outcome: Outcome) -> None:
        """Let a fiber hear one answer."""
        fiber = self.fibers.get(name)
        if fiber is None:
            return
        self.fibers[name] = fiber.without(ordinal)
        if fiber.outcome is not None:
            self._end_superseded(name)
            return
        assert self.life is not None
        answer = Answer(ordinal, outcome, self.now_ms)
        self._absorb(name, self.identity.code.move(self.life, fiber.node, answer))

    def _end_sleep(self, sleeper: Waiter) -> None:
        self.sleeps[sleeper.key] = SleepRecord(sleeper.key, None)
        self.note(RecordKind.NOTE, f"sleep {sleeper.key} over")
        self.can_crash_before = True
        self._settle(sleeper.owner, sleeper.ordinal, Returned(UNDEFINED))

    def end_sleep(self, sleeper: Waiter) -> None:
        """A sleep in progress is over (R-SL-1)."""
        self.sleepers.remove(sleeper)
        self._end_sleep(sleeper)

    def end_wait(self, waiter: Waiter) -> None:
        """A wait has its event, or has run out of time (R-EV-4, R-EV-5)."""
        record = self.waits[waiter.key]
        self.waiters.remove(waiter)
        if record.outcome is None:
            record = replace(record, outcome=errors.timed_out(record.timeout_ms))
            verb = "timed out"
        else:
            is_event = isinstance(record.outcome, Returned)
            done = "received" if is_event else "timed out"
            verb = "replayed" if record.is_seen else done
        assert record.outcome is not None
        self.waits[waiter.key] = replace(record, is_seen=True, left_ms=0, is_expired=False)
        what = "event" if isinstance(record.outcome, Returned) else "timeout"
        text = f"{what} {waiter.key} {verb}" if verb != "timed out" else f"{waiter.key} timed out"
        self.note(RecordKind.NOTE, text, answer=record.outcome.value)
        self.can_crash_before = True
        self._settle(waiter.owner, waiter.ordinal, record.outcome)

    def receive(self, kind: str, payload: Value) -> None:
        """Store an event: for the oldest wait of its type, else in the buffer (R-EV-1, R-EV-3)."""
        stamp = encode({"$": "date", "of": self.identity.epoch_ms + self.now_ms})
        value = compose([("payload", payload), ("timestamp", stamp), ("type", encode(kind))])
        for key, record in self.waits.items():
            if record.type == kind and record.outcome is None and not record.is_expired:
                self.waits[key] = replace(record, outcome=Returned(value))
                break
        else:
            self.events.append(BufferedEvent(kind, value))
        if self.instance.back_ms is not None:
            self.instance = replace(self.instance, back_ms=0)

    # -- attempts -----------------------------------------------------------------------------

    def start_attempt(self, key: Key) -> None:
        """Begin the next attempt of a step (2.2 points 5 to 7)."""
        run = self.runs[key]
        record = self.steps[key]
        assert record.config is not None
        attempt = record.attempts + 1
        self.steps[key] = replace(record, attempts=attempt, retry_ms=None)
        run = replace(
            run, phase=RunPhase.RUNNING, attempt=attempt, timeout_ms=record.config.timeout_ms
        )
        self.runs[key] = run
        self.can_crash_before = False
        assert self.life is not None
        reads = self._reads()
        is_shown = Read.CONTEXT in reads
        salt = ""
        if Read.RANDOM in reads:
            salt = f"{self.identity.activation}#{self.instance.lifetimes}/{run.fiber}"
        invoke = Invoke(
            run.ordinal,
            Part.CALLBACK,
            context_value(key, attempt if is_shown else 1, record.config, is_counted=is_shown),
            self.now_ms,
            salt,
        )
        reaction = self.identity.code.move(self.life, run.node, invoke)
        self.fibers[run.fiber] = Fiber(reaction.node)
        self._absorb(run.fiber, reaction)
        self.drain()

    def store_attempt(self, key: Key) -> None:
        """The attempt has ended: store its result, or decide about a retry (2.2 points 8 and 9)."""
        run = self.runs[key]
        fiber = self.fibers.pop(run.fiber)
        assert fiber.outcome is not None
        outcome = fiber.outcome
        if isinstance(outcome, Returned):
            size = len(outcome.value.encode())
            if size > self.identity.profile.result_bytes_max:
                outcome = errors.internal(
                    f"Value of step {key.name!r} is too large to store "
                    f"({size} bytes; the limit is 1MiB)"
                )
        self.can_crash_before = True
        if fiber.pending:
            self.fibers[run.fiber] = fiber
        self._conclude(run, outcome)
        self._end_superseded(run.fiber)

    def expire_attempt(self, key: Key) -> None:
        """The attempt ran out of time; its callback goes on unheard (R-TO-2, R-TO-3)."""
        run = self.runs[key]
        config = self.steps[key].config
        assert config is not None
        self.note(RecordKind.NOTE, f"step {key} attempt {run.attempt} timed out")
        self.can_crash_before = True
        self._conclude(run, errors.timed_out(config.timeout_ms))
        self._end_superseded(run.fiber)

    def _conclude(self, run: StepRun, outcome: Outcome) -> None:
        key, record = run.key, self.steps[run.key]
        config = record.config
        assert config is not None
        if isinstance(outcome, Threw):
            if errors.is_non_retryable(outcome.value):
                del self.runs[key]
                if self.identity.profile.is_non_retryable_cached:
                    self.steps[key] = StepRecord(key, outcome=outcome)
                self._settle(run.owner, run.ordinal, outcome)
                self.drain()
                return
            if record.attempts <= config.limit:
                assert config.delay_ms is not None
                wait = config.delay_after(record.attempts, config.delay_ms)
                self.steps[key] = replace(record, retry_ms=wait)
                self.runs[key] = replace(run, phase=RunPhase.RETRY, timeout_ms=0)
                return
        del self.runs[key]
        self.steps[key] = StepRecord(key, outcome=outcome)
        self._settle(run.owner, run.ordinal, outcome)
        self.drain()

    # -- the new state ------------------------------------------------------------------------

    def freeze(self) -> Instance:
        """The state after the transition."""
        live: Live | None = None
        if self.is_live and self.instance.status is Status.RUNNING and self._is_suspendable():
            self.note(RecordKind.SUSPENDED, "suspended")
            self._drop_lifetime()
            self.instance = replace(self.instance, status=Status.WAITING)
        if self.is_live and (self.fibers or not self.instance.status.is_terminal):
            assert self.life is not None
            live = Live(
                life=self.life,
                fibers=tuple(sorted(self.fibers.items(), key=lambda item: item[0])),
                counts=tuple(
                    (kind, name, n) for (kind, name), n in sorted(self.counts.items())
                ),
                runs=tuple(self.runs.values()),
                sleepers=tuple(self.sleepers),
                waiters=tuple(self.waiters),
                can_crash_before=self.can_crash_before,
            )
        is_over = self.instance.status.is_terminal
        return replace(
            self.instance,
            steps=() if is_over else tuple(self.steps[key] for key in sorted(self.steps)),
            sleeps=() if is_over else tuple(self.sleeps[key] for key in sorted(self.sleeps)),
            waits=() if is_over else tuple(self.waits.values()),
            events=() if is_over else tuple(self.events),
            live=live,
        )

    def _is_suspendable(self) -> bool:
        """Whether nothing but waits of `hibernate_after` or longer is left (R-HIB-1)."""
        limit = self.identity.profile.hibernate_after_ms
        if limit is None or self.fibers.keys() != {BODY}:
            return False
        body = self.fibers[BODY]
        if body.outcome is not None or body.pending:
            return False
        left: list[int] = []
        for run in self.runs.values():
            retry = self.steps[run.key].retry_ms
            if run.phase is not RunPhase.RETRY or retry is None:
                return False
            left.append(retry)
        for sleeper in self.sleepers:
            left.append(self.sleeps[sleeper.key].left_ms or 0)
        for waiter in self.waiters:
            record = self.waits[waiter.key]
            if record.outcome is not None:
                return False
            left.append(record.left_ms)
        return bool(left) and min(left) >= limit

    # -- small things -------------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """Virtual time, 0 unless this code reads the clock."""
        return self.instance.now_ms

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
        self.notes.append(
            Note(
                kind=kind,
                activation=self.identity.activation,
                source=self.identity.activation,
                text=text,
                args=args,
                answer=answer,
                place=place,
            )
        )

    def _count(self, kind: str, name: str) -> int:
        count = self.counts.get((kind, name), 0) + 1
        self.counts[kind, name] = count
        return count

    def _reads(self) -> frozenset[Read]:
        return self.identity.code.reads(self.identity.class_name)

    def _event_value(self) -> Value:
        identity, instance = self.identity, self.instance
        stamp = encode({"$": "date", "of": identity.epoch_ms + instance.created_ms})
        return compose(
            [
                ("payload", instance.params),
                ("timestamp", stamp),
                ("instanceId", encode(identity.instance_id)),
                ("workflowName", encode(identity.workflow_name)),
            ]
        )


def context_value(key: Key, attempt: int, config: StepConfig, *, is_counted: bool) -> Value:
    """The `ctx` of a step callback (1.5)."""
    return encode(
        {
            "step": {"name": key.name, "count": key.count if is_counted else 1},
            "attempt": attempt,
            "config": config.shown(),
        }
    )


def live_timer(live: Live) -> int | None:
    """When the fibers of a lifetime next want something."""
    timers = [fiber_timer(fiber) for _, fiber in live.fibers]
    left = [timer for timer in timers if timer is not None]
    return min(left) if left else None


def is_event_type(text: str) -> bool:
    """Whether text may be an event type (DIFF-12): like an instance id."""
    return is_instance_id(text)


def is_instance_id(text: str) -> bool:
    """Whether text may be an instance id (1.2)."""
    return (
        0 < len(text) <= 100
        and text[0] in _ID_FIRST
        and all(char in _ID_FIRST or char == "-" for char in text)
    )


_ID_FIRST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_UNDEFINED: dict[str, Plain] = {"$": "undefined"}


def encode_error(name: str, message: str) -> Value:
    """A plain error as a value."""
    return errors.error_value(name, message)


def _mapping(value: Value) -> dict[str, Plain]:
    tree = decode(value)
    assert isinstance(tree, dict)
    return tree
