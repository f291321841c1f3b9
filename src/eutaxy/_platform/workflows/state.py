"""The state of a Workflow instance: what is durable, and what one lifetime adds to it.

Durable fields survive a crash; `live` does not. Times are what is left, in milliseconds, so that
equal situations at different moments are equal states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from eutaxy._base.code import LifeId, NodeId, Outcome, Threw
from eutaxy._base.value import Value
from eutaxy._platform.call import Return
from eutaxy._platform.fiber import Fiber
from eutaxy._platform.workflows.config import StepConfig
from eutaxy._platform.workflows.listener import Listener

BODY = ""
"""Name of the fiber that runs `run`."""


class Status(Enum):
    """Instance status as `status()` reports it (R-ST, 2.13)."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    WAITING_FOR_PAUSE = "waitingForPause"
    PAUSED = "paused"
    COMPLETE = "complete"
    ERRORED = "errored"
    TERMINATED = "terminated"

    @property
    def is_terminal(self) -> bool:
        """Whether the instance has ended (R-RUN-4)."""
        return self in (Status.COMPLETE, Status.ERRORED, Status.TERMINATED)


class Kind(Enum):
    """What a key names; the kinds have keys of their own (R-ID-4)."""

    DO = "do"
    ROLLBACK = "rollback"
    SLEEP = "sleep"
    WAIT = "waitForEvent"


@dataclass(frozen=True, slots=True)
class Key:
    """Identity of a step, rollback, sleep or wait: name and count of that name in its lifetime
    (R-ID); for sleeps also their duration, where that counts (R-ID-2)."""

    name: str
    count: int
    kind: Kind = Kind.DO
    duration: str = ""

    def __str__(self) -> str:
        return self.name if self.count == 1 else f"{self.name} ({self.count})"

    @property
    def order(self) -> tuple[str, str, int, str]:
        """Sort key."""
        return (self.kind.value, self.name, self.count, self.duration)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What is durable of a `step.do`, or of the rollback of one.

    Args:
        key: Its identity.
        attempts: Attempts begun (R-RT-4). Forgotten (0) once the step is done, unless a rollback
            handler will be shown it.
        config: The stored configuration, which wins over the code's (P1). Forgotten like
            `attempts`.
        outcome: Stored value, or error of the last allowed attempt (P4, P8).
        retry_ms: What is left of the stored retry timer (P7).
        has_handler: Whether it was given a rollback handler (R-RB-1).
        has_failed: Whether `run` has seen it fail in a way that is not remembered (R-NR-3).
        is_acted_on: Whether, after such a failure, that lifetime began another step.
        name: Its name as code gave it, where that was no text. Forgotten like `attempts`.
    """

    key: Key
    attempts: int = 0
    config: StepConfig | None = None
    outcome: Outcome | None = None
    retry_ms: int | None = None
    has_handler: bool = False
    has_failed: bool = False
    is_acted_on: bool = False
    name: Value | None = None


@dataclass(frozen=True, slots=True)
class SleepRecord:
    """What is durable of a sleep: what is left of it; None when it is over (R-SL-1, R-SL-2)."""

    key: Key
    left_ms: int | None


@dataclass(frozen=True, slots=True)
class WaitRecord:
    """What is durable of a `waitForEvent`.

    Args:
        key: Its identity (R-ID-3).
        type: Event type it waits for.
        timeout_ms: The whole timeout, for the error's text.
        left_ms: What is left of its timeout (R-EV-5).
        outcome: The event, or the timeout error.
        is_seen: Whether a lifetime has been given the outcome (V3).
        is_expired: The deadline has passed without a matching event (R-EV-6).
    """

    key: Key
    type: str
    timeout_ms: int
    left_ms: int
    outcome: Outcome | None = None
    is_seen: bool = False
    is_expired: bool = False


@dataclass(frozen=True, slots=True)
class BufferedEvent:
    """An event that no wait has taken yet; `value` is what the wait will return (R-EV-2)."""

    type: str
    value: Value


@dataclass(frozen=True, slots=True)
class EventSlot:
    """A durable place of the local event queue: the event that was last at that index of its type
    (R-EV-10)."""

    type: str
    index: int
    value: Value


class RunPhase(Enum):
    """Where a step in progress stands."""

    START = "start"
    RUNNING = "running"
    RETRY = "retry"
    DELAY = "delay"
    """Its delay function is working out how long to wait (R-DLY)."""


@dataclass(frozen=True, slots=True)
class StepRun:
    """A step in progress in this lifetime.

    Args:
        key: Which step.
        owner: Name of the fiber that called it.
        ordinal: Its STEP effect in that fiber.
        node: Node of the owner when it called: attempts start from there.
        phase: Where it stands.
        attempt: Number of the attempt under way (0 before the first).
        left_ms: What is left of the attempt's timeout (R-TO-1), or of the delay function's time.
        failure: In phase DELAY, why the attempt failed.
        place: Raw position of the call.
    """

    key: Key
    owner: str
    ordinal: int
    node: NodeId
    phase: RunPhase
    attempt: int = 0
    left_ms: int = 0
    failure: Threw | None = None
    place: str = ""

    @property
    def is_attempting(self) -> bool:
        """Whether `fiber` is under way and heard; in RETRY that name is a superseded attempt's."""
        return self.phase in (RunPhase.RUNNING, RunPhase.DELAY)

    @property
    def fiber(self) -> str:
        """Name of the fiber of the current attempt, or of its delay function."""
        part = {Kind.DO: "", Kind.ROLLBACK: "!"}[self.key.kind]
        delay = "~delay" if self.phase is RunPhase.DELAY else ""
        return f"{self.key.name}:{self.key.count}{part}#{self.attempt}{delay}"


def step_of_fiber(fiber: str) -> str:
    """The step that a fiber other than `BODY` belongs to: its name without the attempt."""
    return fiber.rpartition("#")[0]


@dataclass(frozen=True, slots=True)
class Waiter:
    """A fiber that waits for a sleep or an event; `place` is the raw position of the call."""

    key: Key
    owner: str
    ordinal: int
    place: str = ""


@dataclass(frozen=True, slots=True)
class Handler:
    """A rollback handler that this lifetime has registered (R-RB-1, R-RB-8).

    Args:
        key: The step it undoes.
        ordinal: The STEP effect that carries it.
        node: Node of the fiber that called the step.
        config: The handler's own configuration (R-RB-5).
    """

    key: Key
    ordinal: int
    node: NodeId
    config: StepConfig


@dataclass(frozen=True, slots=True)
class Rollback:
    """A rollback under way: why, how the instance ends after it (R-RB-2), and who waits for it."""

    error: Value
    ends: Status
    reply: Return | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """A lifetime.

    Args:
        life: Observations so far (unfactored model only).
        fibers: The body (`BODY`), attempts under way, and superseded attempts that live on; by
            name.
        counts: Calls so far by (kind, name) (R-ID-1 ... R-ID-4).
        runs: Steps in progress, in order of their calls.
        sleepers: Sleeps in progress, in order of their calls.
        waiters: Event waits in progress, in order of their calls.
        handlers: Rollback handlers registered so far.
        rollback: The rollback under way.
        permits_lost: Steps that count as running although they have ended.
        can_crash_before: Whether something durable happened since the last effect, so that dying
            before the next one is a case of its own.
        stern: By fiber, the first refusal of the engine that it has been told, and the place of its
            call.
    """

    life: LifeId
    fibers: tuple[tuple[str, Fiber], ...]
    counts: tuple[tuple[str, str, int], ...] = ()
    runs: tuple[StepRun, ...] = ()
    sleepers: tuple[Waiter, ...] = ()
    waiters: tuple[Waiter, ...] = ()
    handlers: tuple[Handler, ...] = ()
    rollback: Rollback | None = None
    permits_lost: int = 0
    can_crash_before: bool = True
    stern: tuple[tuple[str, tuple[str, str]], ...] = ()


@dataclass(frozen=True, slots=True)
class Retention:
    """How long an instance is kept when it has completed, and when it has ended otherwise; None: as
    long as the account or the config says (R-RUN-5)."""

    success_ms: int | None = None
    error_ms: int | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing that happened to an instance, as subscriptions tell it (R-SUB-1).

    Args:
        number: Its `eventId`, rising.
        type: "step_started" and the like.
        at_ms: Virtual time (0 where no clock is read).
        members: What else the event says, in order.
        key: The step, sleep or wait that it is about.
    """

    number: int
    type: str
    at_ms: int
    members: tuple[tuple[str, Value], ...] = ()
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class Torn:
    """What a crash in the middle of the last transition would leave: a sleep or a wait is noted,
    its timer is not, and nothing that came later has happened (F-SL-1, F-EV-13)."""

    key: Key
    left: Instance


@dataclass(frozen=True, slots=True)
class LooseEnds:
    """What optional faults need to know of the past; kept only where they are asked for.

    Args:
        torn: Crashes in the middle of the last transition.
        consumed: Events that waits have taken, oldest first (F-EV-6).
        logged: What `run` returned when its success was first logged (F-RUN-8, R-ST-5).
        status_before: The status before its last change (F-LC-11).
        is_deployed: Whether it runs the new version of the code (F-RUN-5).
    """

    torn: tuple[Torn, ...] = ()
    consumed: tuple[BufferedEvent, ...] = ()
    logged: Outcome | None = None
    status_before: Status | None = None
    is_deployed: bool = False


NO_LOOSE_ENDS = LooseEnds()


@dataclass(frozen=True, slots=True)
class Instance:
    """A Workflow instance.

    Args:
        status: Durable status.
        params: Payload of the event.
        created_ms: Virtual time of creation (0 where no clock is read).
        schedule: What `event.schedule` says of the firing that created it (R-CRON-1); None when
            it was created by a call.
        steps: Step and rollback records by key.
        sleeps: Sleep records by key.
        waits: Wait records in the order in which they were first reached.
        started: Steps in the order of their starts: those with rollback handlers, and all once
            something restarts from a step.
        events: Buffered events in order of arrival.
        slots: The durable event queue, where it is never cleaned; `events` is then what the engine
            process remembers of it (R-EV-10).
        result: Output or error, once ended.
        rollback_error: The error that stopped its rollback; "null" when the rollback succeeded;
            None when there was none.
        live: The lifetime; None while crashed, suspended, queued, paused or ended.
        outputs: Results of steps and payloads of waits by key, in the order of the local log, as
            JSON; kept only by profiles whose status shows them (DIFF-15).
        back_ms: What is left until the engine starts; None when it only starts for a timer or
            event.
        is_dormant: Its engine went down and no timer starts it again, only a call (R-HIB-2).
        lifetimes: Lifetimes so far; kept only where code reads randomness.
        now_ms: Virtual time; kept only where code reads the clock.
        loose: What optional faults need to know.
        log: What has happened to it; kept only where something subscribes to it.
        listeners: Subscriptions that wait for what happens next.
        retention: The retention that `create` was given.
        kept_ms: What is left of it; 0 when it is over, and the instance as good as gone.
    """

    status: Status
    params: Value
    created_ms: int = 0
    schedule: Value | None = None
    steps: tuple[StepRecord, ...] = ()
    sleeps: tuple[SleepRecord, ...] = ()
    waits: tuple[WaitRecord, ...] = ()
    started: tuple[Key, ...] = ()
    events: tuple[BufferedEvent, ...] = ()
    slots: tuple[EventSlot, ...] = ()
    result: Outcome | None = None
    rollback_error: Value | None = None
    live: Live | None = None
    outputs: tuple[tuple[Key, Value], ...] = ()
    back_ms: int | None = 0
    is_dormant: bool = False
    lifetimes: int = 0
    now_ms: int = 0
    log: tuple[LogEntry, ...] = ()
    listeners: tuple[Listener, ...] = ()
    retention: Retention | None = None
    kept_ms: int | None = None
    loose: LooseEnds = NO_LOOSE_ENDS


def without_torn(local: Instance) -> Instance:
    """The instance when the moment of its last transition is over."""
    if not local.loose.torn:
        return local
    return replace(local, loose=replace(local.loose, torn=()))
