"""What the core asks of user code, and what it is told: the contract between world and hosts.

User code runs in *fibers*. A fiber sees only its own answers, so what it does next is a pure
function of where it started and of the answers so far. The core addresses that function by
*nodes*: a node is a fiber after some observations. A host turns (node, move) into a reaction; it
decides nothing else.

The body of `run` is a fiber, each step attempt (the callback of one `step.do`) is a fiber, a
request is a fiber. Attempts start from the node of the fiber that called the step, so they see the
closure as it was then.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NewType, Protocol

from eutaxy._base.value import Value

NodeId = NewType("NodeId", int)
LifeId = NewType("LifeId", int)

NO_LIFE = LifeId(0)
"""The life of a fiber in the factored model, where nodes alone identify what code has observed."""


class EffectKind(Enum):
    """What user code asks for. `operation`, `name` and `args` of an `Effect` by kind:

    STEP         operation "do"; name = step name; args {"config": user's config (undefined if
                 none), "hasCallback": bool, "hasDelayFunction": bool, "rollback": undefined or
                 {"hasHandler": bool, "config": ...}} - config with a function delay omits `delay`;
                 "nameIsText": false when the name was no string (name is then its String() form);
                 "isValidRollback": false when the rollback options were no object.
    SLEEP        operation "sleep" or "sleepUntil"; name; args {"duration": v} or {"until": v}.
    WAIT         operation "waitForEvent"; name; args {"options": what the user passed}.
    CALL         name "Fetch" (an outbound request) or "<Type>:<BINDING>" ("Workflow:APPROVALS").
                 Fetch: operation = HTTP method; args {"url", "method", "headers": {lower-case:
                 text}, "body": null, text, or bytes}. Workflow binding: operation create |
                 createBatch | get | deleteBatch (args {"options"|"id"|"ids"...}) or an instance
                 method status | sendEvent | pause | resume | terminate | restart | delete |
                 subscribe with args {"id": instance id, "options": first argument, undefined if
                 none}, or next, which a subscription asks for each event: options {"cursor":
                 number of the last event or undefined, "filter": types or undefined}, answered by
                 {"done", "value"}.
    TIMER        operation "timer"; name "Timer"; args {"ms": n}: setTimeout, scheduler.wait,
                 asyncio.sleep ... Answered when that much virtual time has passed.
    """

    STEP = "step"
    SLEEP = "sleep"
    WAIT = "wait"
    CALL = "call"
    TIMER = "timer"


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that user code asked for, not yet answered.

    Args:
        ordinal: Position among the effects of its fiber, from 1.
        kind: Which family; decides the meaning of the rest (see `EffectKind`).
        name: Step name or target.
        operation: What is done to the target.
        args: Arguments, as one value.
        place: Raw position in the running code ("<line>:<column>" of the bundle, or "file:line" in
            Python); empty when unknown. Never shown unmapped.
    """

    ordinal: int
    kind: EffectKind
    name: str
    operation: str
    args: Value
    place: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """A call or a fiber ended with a value."""

    value: Value


@dataclass(frozen=True, slots=True)
class Threw:
    """A call or a fiber ended by throwing `value` (mostly an error, but JavaScript allows
    anything)."""

    value: Value


Outcome = Returned | Threw


class Part(Enum):
    """Which function of a step the core wants called."""

    CALLBACK = "callback"
    ROLLBACK = "rollback"
    DELAY = "delay"


@dataclass(frozen=True, slots=True)
class Answer:
    """Observation: effect `ordinal` of the fiber ended with `outcome`.

    `now_ms` is the virtual time at which it is observed; it is always 0 until the code of this
    program has been seen to read a clock.
    """

    ordinal: int
    outcome: Outcome
    now_ms: int = 0


@dataclass(frozen=True, slots=True)
class Invoke:
    """Start a new fiber: call `part` of the step that was effect `ordinal` of the given node.

    Args:
        ordinal: The STEP effect in the parent fiber.
        part: Callback, rollback handler or delay function.
        argument: What the function is given (the step context, ...).
        now_ms: As in `Answer`.
        salt: Seeds randomness in the new fiber; empty until the program has been seen to draw.
    """

    ordinal: int
    part: Part
    argument: Value
    now_ms: int = 0
    salt: str = ""


Move = Answer | Invoke


class Read(Enum):
    """Ambient inputs that code was seen to read; each is kept out of the state until then."""

    CLOCK = "clock"
    RANDOM = "random"
    CONTEXT = "context"
    """`ctx.attempt` or `ctx.step.count` of a step callback."""
    ORDER = "order"
    """The order in which steps started: needed once something restarts from a step (R-LC-9)."""
    LOG = "log"
    """What has happened to an instance: needed once something subscribes to it (R-SUB-1)."""


@dataclass(frozen=True, slots=True)
class RequestEntry:
    """Start of a request: the handler ("fetch") and the request as a value
    {"url", "method", "headers": {..}, "body": null | text | bytes}."""

    handler: str
    request: Value
    now_ms: int = 0
    salt: str = ""


@dataclass(frozen=True, slots=True)
class WorkflowEntry:
    """Start of a lifetime of a Workflow instance.

    `event` is {"payload", "timestamp" (a date), "instanceId", "workflowName"[, "schedule"]}.
    """

    class_name: str
    event: Value
    now_ms: int = 0
    salt: str = ""


Entry = RequestEntry | WorkflowEntry


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a fiber did after one observation, once everything was quiet.

    Args:
        life: The life after the move (always `NO_LIFE` in the factored model).
        node: The node that was reached.
        effects: New effects, in the order they were issued.
        outcome: How the fiber ended; None while it still runs.
        is_held: The fiber has ended but `waitUntil` work is still open.
        cancelled: Ordinals of timers, perhaps new ones, whose end nobody waits for any more.
        others: What other fibers of the same life did (unfactored model only).
    """

    life: LifeId
    node: NodeId
    effects: tuple[Effect, ...] = ()
    outcome: Outcome | None = None
    is_held: bool = False
    cancelled: tuple[int, ...] = ()
    others: tuple[Reaction, ...] = ()


class UserCode(Protocol):
    """The remembered pure function from observations to reactions. Raises only `EutaxyError`."""

    def start(self, entry: Entry) -> Reaction:
        """Begin an activation; its root fiber reacts."""
        ...

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        """Apply one observation to a fiber, or start a fiber from it (`Invoke`)."""
        ...

    def reads(self, program: str) -> frozenset[Read]:
        """What is part of the state for `program` ("fetch", or a class name)."""
        ...

    def require(self, program: str, read: Read) -> None:
        """Make an ambient input part of the state of `program`.

        Raises:
            NewRead: It was not yet; whatever was explored so far must start again.
        """
        ...

    def place_of(self, thrown: Value) -> str:
        """Where code threw a value first, as a raw place (see `Effect`); empty when unknown."""
        ...


class NewRead(Exception):
    """Code was seen to read an ambient input that was no part of the state.

    A signal, not an error: the search starts again with the input in (reads remembered so far
    stay).
    """

    def __init__(self, program: str, read: Read) -> None:
        self.program = program
        self.read = read
        super().__init__(program, read)


class FibersShare(Exception):
    """Fibers of one activation share more than their answers, so the factored model is wrong.

    A signal, not an error: the search starts again with whole activations as the unit. What is
    shared (a variable that a step callback writes) is lost when the Workflow is replayed.

    Args:
        program: The class whose code does it.
        what: What showed it.
    """

    def __init__(self, program: str, what: str) -> None:
        self.program = program
        self.what = what
        super().__init__(program, what)
