"""What the user declares, as plain frozen data; the same whether written in TypeScript or Python.

`place`, wherever it appears, is where the user wrote the thing ("expenses.sim.ts:18:10"), for
messages. Functions of a scenario stay in its own process and appear here as `FunctionRef`s.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NewType

from eutaxy._base.bounds import Bounds
from eutaxy._base.value import Value

FunctionRef = NewType("FunctionRef", int)
"""A function of the scenario file, by number; `ScenarioFunctions` calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowSetup:
    """One Workflow binding and the class that its instances run.

    `may_fail`: instances may end errored in the run without faults; otherwise that is refused.
    `next_class`: the class that they run after a deploy; empty where none is named.
    """

    binding: str
    class_name: str
    may_fail: bool = False
    next_class: str = ""
    place: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that its instances may run."""
        return (self.class_name, self.next_class) if self.next_class else (self.class_name,)


# -- driver events ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When a driver event happens.

    Args:
        after_ms: Virtual time since the previous driver event.
        has_time: Whether the user named that time (else events are a second apart, or overlap).
        after_event: Name of an earlier event that must have ended first; empty for none.
        group: Events with the same number are unordered among each other; 0 for none.
    """

    after_ms: int = 1_000
    has_time: bool = False
    after_event: str = ""
    group: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One driver request ("req-1").

    Args:
        name: As printed.
        method: HTTP method.
        url: Absolute.
        headers: Lower-case names.
        body: Text, bytes or null, as a value.
        timing: When it happens.
        expected_status: Judged in the run without faults; None: anything.
        is_repeated: The client sends it again, a second later, until it is answered with a status
            below 500 (a limited number of times).
        place: Where it was written.
    """

    name: str
    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: Value
    timing: Timing = Timing()
    expected_status: int | None = None
    is_repeated: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectCall:
    """A call of a binding from outside ("call-1"): `operation` and `args` as in a CALL effect."""

    name: str
    binding: str
    operation: str
    args: Value
    timing: Timing = Timing()
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTime:
    """Nothing but time passes ("clock-1"): the next event counts from its end."""

    name: str
    timing: Timing
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FireSchedule:
    """A firing of a Workflow's schedule ("cron-1"): it creates an instance (R-CRON-1).

    Args:
        name: As printed.
        binding: Binding of the Workflow.
        cron: The expression, as the config has it.
        due_ms: Virtual time at which it is due; it may come later, never earlier.
        scheduled_ms: The same in ms since 1970: what the instance is told and named after.
        timing: Not its time, which is `due_ms`.
        place: Where it was written.
    """

    name: str
    binding: str
    cron: str
    due_ms: int
    scheduled_ms: int
    timing: Timing = Timing(after_ms=0, has_time=True)
    place: str = ""

    @property
    def instance_id(self) -> str:
        """Id of the instance that it creates: the same for each delivery of this firing."""
        return f"{self.cron}-{self.scheduled_ms}"


DriverEvent = HttpRequest | DirectCall | PassTime | FireSchedule


# -- externals --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CannedResponse:
    """An answer that an external gives; the first that matches is given.

    Args:
        method: HTTP method.
        path: Path pattern: literal, or with ":name" segments and a final "*".
        status: HTTP status.
        headers: Lower-case names; `content-type` is in already.
        body: Text. With `is_echoing`, "{{args.body.id}}" and the like are replaced by what the
            request
            has there.
        once: A request ("POST /charges") that the service must have applied before; empty for none.
        when: (key path into the request, expected value): all must hold.
        latency_ms: Virtual time until the answer arrives.
    """

    method: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    once: str = ""
    when: tuple[tuple[str, Value], ...] = ()
    is_echoing: bool = False
    latency_ms: int = 0
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dedupe:
    """How a service recognises a repetition: by exactly one of the three.

    Args:
        header: Lower-case name of the header that carries the key.
        key_path: Path into the request ("args.body.key").
        function: From the request ({"method", "url", "path", "headers", "body"}) to the key, or
            null.
        window_ms: How long it remembers a key; None for good.
    """

    header: str = ""
    key_path: str = ""
    function: FunctionRef | None = None
    window_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stateful:
    """A service that is a function of its own state.

    Args:
        initial: First state.
        function: From {"request", "state"} to {"state", "response": {"status", "headers", "body"},
            "applied": bool}; a request that it did not apply is no effect for invariants.
    """

    initial: Value
    function: FunctionRef


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A service outside, known by host name.

    Args:
        name: As printed.
        host: Host name.
        dedupe: How it deduplicates; None when it promises nothing.
        responses: What it answers.
        stateful: What it answers, instead of `responses`.
        failure_statuses: Statuses that it may answer with as a fault (`failed_status`), without
            having
            applied the request.
        outage_ms: How long an outage (fault `outage`, `answers_outage`) lasts; None for no such
            fault.
    """

    name: str
    host: str
    dedupe: Dedupe | None = None
    responses: tuple[CannedResponse, ...] = ()
    stateful: Stateful | None = None
    failure_statuses: tuple[int, ...] = ()
    outage_ms: int | None = None
    place: str = ""


# -- selectors --------------------------------------------------------------------------------


class Seen(Enum):
    """What a selector selects, and the members of its view (what key paths look into).

    FETCH     an outbound request was applied: {"args": {"url", "path", "segments", "method",
              "headers", "body"}, "answer": {"status", "headers", "body"}}; JSON bodies are
              parsed, and the segments are the parts of the path.
    BINDING   a call of a binding was applied: {"args", "answer"}.
    STEP      a step's outcome was stored: {"instance", "params", "step", "count", "value",
              "error"}.
    STATUS    an instance changed its status: {"instance", "params", "status", "output",
              "error"}.
    RESPONSE  a driver request was answered: {"request", "method", "path", "segments",
              "status", "headers", "body"}.
    """

    FETCH = "fetch"
    BINDING = "binding"
    STEP = "step"
    STATUS = "status"
    RESPONSE = "response"
    ODDITY = "oddity"
    """A built-in invariant is broken: {"instance", "what"}. Not for selectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Which happenings an invariant is about.

    Args:
        seen: The family.
        target: External or binding; empty for RESPONSE.
        operation: HTTP method, operation, step name, status, or name of the driver request; None:
            any.
        path: Path pattern of the request (FETCH, RESPONSE); empty: any.
        where: (key path into the view, expected value): all must hold.
    """

    seen: Seen
    target: str = ""
    operation: str | None = None
    path: str = ""
    where: tuple[tuple[str, Value], ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    """Happenings, each with its key: the value at `key_path` in its view."""

    selector: Selector
    key_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRows:
    """The instances of a Workflow, one row each: {"id", "status", "params", "output", "error"}."""

    binding: str
    place: str = ""


# -- invariants -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMostOncePerKey:
    """For each key, at most one selected effect happens."""

    name: str
    what: Keyed
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OncePerKey:
    """At rest, each expected key has been seen: at least once, or exactly once.

    Args:
        keys: Expected keys, as values.
        of: Or: the keys of these happenings are the expected ones.
        is_exact: More than once breaks it too, at once.
    """

    name: str
    what: Keyed
    keys: tuple[Value, ...] = ()
    of: Keyed | None = None
    is_exact: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """No selected happening takes place."""

    name: str
    selector: Selector
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotBoth:
    """For no key do both happen ("refunded and shipped")."""

    name: str
    first: Keyed
    second: Keyed
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """For each key, `then` happens only after `first` has."""

    name: str
    first: Keyed
    then: Keyed
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Implies:
    """At rest: for each key for which `cause` happened, one of `effects` has happened too."""

    name: str
    cause: Keyed
    effects: tuple[Keyed, ...]
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique:
    """At rest, no two rows have the same value at `key_path`."""

    name: str
    rows: WorkflowRows
    key_path: str
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SumEquals:
    """At rest, the numbers at `key_path` of the rows add up to `total`."""

    name: str
    rows: WorkflowRows
    key_path: str
    total: float
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsHold:
    """A predicate over rows: in every world (`is_always`), or at rest."""

    name: str
    rows: WorkflowRows
    function: FunctionRef
    is_always: bool
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceHolds:
    """A predicate over the whole trace at rest; equal worlds cannot be merged under it."""

    name: str
    function: FunctionRef
    place: str = ""


Invariant = (
    AtMostOncePerKey
    | OncePerKey
    | Never
    | NotBoth
    | Ordered
    | Implies
    | Unique
    | SumEquals
    | RowsHold
    | TraceHolds
)

BUILT_IN = ("stuck", "compensated-then-done", "step-changed-its-mind", "unkeyed-repeat")

SUSPICIONS = (
    "F-RUN-1",
    "F-RUN-4",
    "R-PAR-2",
    "R-RB-9",
    "R-RUN-1",
    "R-RUN-3",
    "misread-duration",
    "refused-call",
    "swallowed-error",
    "unused-external",
    "unused-response",
)
"""The rules that suspicions are about, which a scenario can silence."""
"""Names of the invariants that hold without being declared; `without` switches one off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A whole scenario.

    Args:
        name: As printed; also the default seed.
        path: The scenario file, as the user named it.
        entry: Absolute path of the Worker's entry file.
        config: Absolute path of wrangler.jsonc / wrangler.toml.
        setup: Bindings that exist in the model.
        drive: What the outside does, in order.
        externals: Declared services.
        invariants: Claims to check.
        without: Built-in invariants that are switched off.
        bounds: Limits.
        downtime_ms: Virtual time until a crashed activation comes back.
        profile: Platform behaviour ("prod").
        silenced: Rules whose suspicions are not reported.
    """

    name: str
    path: str
    entry: str
    config: str
    setup: tuple[WorkflowSetup, ...]
    drive: tuple[DriverEvent, ...]
    externals: tuple[External, ...]
    invariants: tuple[Invariant, ...]
    bounds: Bounds
    without: tuple[str, ...] = ()
    downtime_ms: int = 1_000
    profile: str = "prod"
    silenced: tuple[str, ...] = ()
