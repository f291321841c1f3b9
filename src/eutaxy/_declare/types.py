"""Types of the scenario API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NewType, NotRequired, TypeAlias, TypedDict

from eutaxy._base.declaration import Declaration

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""A value that JSON can say."""

Data: TypeAlias = Any  # type: ignore[explicit-any]
"""Data of the Worker under check: what its own code sent, stored or returned."""

Duration: TypeAlias = "float | str"
"""Milliseconds, or text such as "10 seconds"."""

Setup = NewType("Setup", Declaration)
"""A Workflow that the scenario uses."""
Drive = NewType("Drive", Declaration)
"""Something that the outside does."""
External = NewType("External", Declaration)
"""An outside service."""
Selector = NewType("Selector", Declaration)
"""Happenings that an invariant is about."""
WorkflowRows = NewType("WorkflowRows", Declaration)
"""Instances of a Workflow."""
Invariant = NewType("Invariant", Declaration)
"""A claim to check."""
BoundsGiven = NewType("BoundsGiven", Declaration)
"""What to explore."""
ScenarioGiven = NewType("ScenarioGiven", Declaration)
"""A whole scenario."""

Keyed: TypeAlias = "tuple[Selector, str]"
"""Happenings, and where each of them has its key: `(fetch_call("bank"), "args.body.id")`."""


class WorkerFiles(TypedDict):
    """The Worker under check.

    Args:
        entry: Its entry file, relative to the scenario file: .py, .ts, .js ...; left out: `main` of
            the config.
        config: Its wrangler.jsonc, wrangler.json or wrangler.toml, relative to the scenario file.
    """

    entry: NotRequired[str]
    config: str


class AfterEvent(TypedDict):
    """When an event comes: once an earlier one has been dealt with.

    Args:
        event: Name of the earlier event ("req-1").
        time: Virtual time that passes then; left out: the event may come at once.
    """

    event: str
    time: NotRequired[Duration]


class Retention(TypedDict, total=False):
    """How long an instance is kept once it has ended.

    Args:
        success_retention: When it has completed.
        error_retention: When it has ended otherwise.
    """

    success_retention: Duration
    error_retention: Duration


class Request(TypedDict, total=False):
    """One driver request. It has a `path` or a `url`; the rest may be left out.

    Args:
        path: Path and query, from "/"; the host is then worker.example.
        url: Whole URL, instead of `path`.
        method: POST when there is a body, else GET.
        headers: Names and values.
        body: Text, bytes, or anything that JSON can say (then sent as application/json).
        after: Virtual time since the previous driver event, or an earlier event. Without it events
            are a second apart, or overlap where concurrency allows.
        expect_status: The status that the answer must have in the run without faults.
        retry: The client sends it again, a second later, until the answer has a status below 500.
        name: What it is called, instead of req-1 and so on.
    """

    path: str
    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes | Json
    after: Duration | AfterEvent
    expect_status: int
    retry: bool
    name: str


class Response(TypedDict, total=False):
    """One answer that an external gives. `path` is needed; the rest may be left out.

    Args:
        path: Path that it answers, from "/": literal, or with ":name" for any one segment, or
            with "*" as the last segment for all that follow.
        method: Method that it answers; GET when left out.
        when: Values that the request must have, by key path: `{"args.body.kind": "card"}`.
        once: A request ("POST /charges") that the service must have applied before it answers so.
            Responses are tried in order, so put the one with more conditions first.
        status: Status code; 200 when left out.
        headers: Names and values.
        body: Text, or anything that JSON can say (then sent as application/json).
        echo: Replace "{{args.body.id}}" and the like in the body by what the request has there.
        latency: Virtual time until the answer arrives.
    """

    path: str
    method: str
    when: Mapping[str, Json]
    once: str
    status: int
    headers: Mapping[str, str]
    body: Json
    echo: bool
    latency: Duration


class ServiceRequest(TypedDict):
    """A request as functions of an external see it.

    Args:
        method: Its method.
        url: The whole URL.
        path: Its path, without query.
        headers: Names, in lower case, and values.
        body: The body; parsed, when it is JSON. None when there is none.
    """

    method: str
    url: str
    path: str
    headers: Mapping[str, str]
    body: Data


class ServiceResponse(TypedDict, total=False):
    """What a service function answers.

    Args:
        status: Status code; 200 when left out.
        headers: Names and values.
        body: Text, or anything that JSON can say (then sent as application/json).
    """

    status: int
    headers: Mapping[str, str]
    body: Json


class Handled(TypedDict):
    """What a service does with a request.

    Args:
        response: Its answer.
        state: Its new state; left out: as before.
        applied: False when the request changed nothing, so that it is no effect for invariants.
    """

    response: ServiceResponse
    state: NotRequired[Data]
    applied: NotRequired[bool]


class DedupeByHeader(TypedDict):
    """A service recognises a repetition by a request header."""

    header: str


class DedupeByBody(TypedDict):
    """A service recognises a repetition by a key path into the body ("requestId")."""

    body: str


DedupeBy: TypeAlias = "str | DedupeByHeader | DedupeByBody | Callable[[ServiceRequest], str | None]"
"""How a service recognises a repetition: a header (by name alone, too), a part of the body, or a
function to the key or None."""

Handle: TypeAlias = "Callable[[ServiceRequest, Data], Handled]"
"""A service as a pure function of a request and its state."""


class WorkflowError(TypedDict):
    """Why an instance failed."""

    name: str
    message: str


class Row(TypedDict):
    """An instance of a Workflow.

    Args:
        id: Its id.
        status: queued, running, waiting, paused, complete, errored, terminated ...
        params: What it was created with.
        output: What `run` returned; None before, and when it returned nothing.
        error: Why it failed; None when it has not.
    """

    id: str
    status: str
    params: Data
    output: Data
    error: WorkflowError | None


class TraceRecord(TypedDict):
    """One entry of a trace.

    Args:
        seq: Position in the trace, from 1.
        kind: start, end, suspended, effect, note, landed, fault or clock.
        atMs: Virtual time since the start of the run.
        activation: Whose it is ("workflow:APPROVALS:exp-1#1", "req-1"); empty for clock records.
        effect: Position among the effects of the activation, from 1; 0 when it is none.
        text: What happened ("Fetch:payouts POST", "crash_after").
        args: Arguments of an effect.
        answer: What the effect was answered.
    """

    seq: int
    kind: str
    atMs: int
    activation: str
    effect: int
    text: str
    args: Data
    answer: Data


RowsHold: TypeAlias = "Callable[[Sequence[Row]], bool]"
"""Whether rows are as they should be; pure."""

TraceHolds: TypeAlias = "Callable[[Sequence[TraceRecord]], bool]"
"""Whether a trace is as it should be; pure."""
