"""The scenario API: what a Python scenario file imports.

A scenario file is a Python file that defines one scenario, in a variable of any name:

Example:
    >>> from eutaxy.cloudflare import define_scenario, external, fetch_call, http
    >>> from eutaxy.cloudflare import at_most_once_per_key, bounds, workflow
    >>> scenario = define_scenario(
    ...     name="expenses",
    ...     worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    ...     setup=[workflow("APPROVALS", "ExpenseApproval")],
    ...     drive=http([{"path": "/expenses", "body": {"expenseId": "exp-1"}}]),
    ...     externals=[
    ...         external(
    ...             "payouts",
    ...             "payouts.example",
    ...             dedupe_by="idempotency-key",
    ...             responses=[{"method": "POST", "path": "/payouts", "status": 201}],
    ...         )
    ...     ],
    ...     invariants=[
    ...         at_most_once_per_key(
    ...             "paid-once", fetch_call("payouts", "POST"), "args.body.expenseId"
    ...         )
    ...     ],
    ...     bounds=bounds(max_faults_per_run=2),
    ... )

The functions judge nothing: `eutaxy check` reports what is wrong, with the line of the call.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NewType, TypeAlias, TypedDict

from eutaxy._base.declaration import Declaration
from eutaxy._base.value import encode

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""A value that JSON can say."""

Setup = NewType("Setup", Declaration)
Drive = NewType("Drive", Declaration)
External = NewType("External", Declaration)
FetchCalls = NewType("FetchCalls", Declaration)
WorkflowRows = NewType("WorkflowRows", Declaration)
Invariant = NewType("Invariant", Declaration)
BoundsGiven = NewType("BoundsGiven", Declaration)
ScenarioGiven = NewType("ScenarioGiven", Declaration)


class WorkerFiles(TypedDict):
    """The Worker under check.

    Args:
        entry: Its entry file, relative to the scenario file: .py, .ts, .js ...
        config: Its wrangler.jsonc, wrangler.json or wrangler.toml, relative to the scenario file.
    """

    entry: str
    config: str


class Request(TypedDict, total=False):
    """One driver request. It has a `path` or a `url`; the rest may be left out.

    Args:
        path: Path and query, from "/"; the host is then worker.example.
        url: Whole URL, instead of `path`.
        method: POST when there is a body, else GET.
        headers: Names and values.
        body: Text, bytes, or anything that JSON can say (then sent as application/json).
        after: Virtual time since the previous driver event: milliseconds, or text such as
            "10 seconds". Without it events are a second apart, or overlap where concurrency allows.
    """

    path: str
    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes | Json
    after: float | str


class Response(TypedDict, total=False):
    """One answer that an external gives. `path` is needed; the rest may be left out.

    Args:
        path: Path that it answers, from "/".
        method: Method that it answers; GET when left out.
        status: Status code; 200 when left out.
        headers: Names and values.
        body: Text, or anything that JSON can say (then sent as application/json).
        once: A request ("POST /charges") that the service must have applied before it answers so.
            Responses are tried in order, so put the one with the condition first.
    """

    path: str
    method: str
    status: int
    once: str
    headers: Mapping[str, str]
    body: Json


def define_scenario(
    *,
    name: str,
    worker: WorkerFiles,
    drive: Drive,
    invariants: Sequence[Invariant],
    setup: Sequence[Setup] = (),
    externals: Sequence[External] = (),
    bounds: BoundsGiven | None = None,
    downtime: float | str | None = None,
) -> ScenarioGiven:
    """Declare the scenario of this file.

    Args:
        name: As printed; also the default seed.
        worker: The Worker under check.
        drive: What the outside does, in order.
        invariants: Claims to check; at least one.
        setup: The Workflows that the scenario uses.
        externals: The outside services that the Worker reaches.
        bounds: What to explore and for how long; None means the defaults.
        downtime: Virtual time until a crashed activation comes back: milliseconds or text such as
            "5 seconds"; None means one second.
    Example:
        See the top of this module.
    """
    return ScenarioGiven(
        _declared(
            "scenario",
            given={
                "name": name,
                "worker": worker,
                "setup": setup,
                "drive": drive,
                "externals": externals,
                "invariants": invariants,
                "bounds": bounds,
                "downtime": downtime,
            },
        )
    )


def workflow(binding: str, class_name: str) -> Setup:
    """Name a Workflow that the scenario uses.

    Args:
        binding: Name of its binding in the wrangler config ("APPROVALS").
        class_name: The class that its instances run.
    Example:
        >>> setup = [workflow("APPROVALS", "ExpenseApproval")]
    """
    return Setup(_declared("workflow", binding=binding, className=class_name))


def http(requests: Sequence[Request]) -> Drive:
    """Drive the Worker with requests, in order; they are called req-1, req-2 and so on.

    Args:
        requests: At least one.
    Example:
        >>> drive = http([{"path": "/expenses", "body": {"expenseId": "exp-1"}, "after": 500}])
    """
    return Drive(_declared("http", requests=_with_portable_bodies(requests)))


def external(
    name: str, host: str, *, dedupe_by: str | None = None, responses: Sequence[Response] = ()
) -> External:
    """Declare an outside service that the Worker reaches by `fetch`.

    Args:
        name: What reports call it ("payouts").
        host: Its host name ("payouts.example").
        dedupe_by: The request header by whose value it deduplicates; None: it promises nothing.
        responses: What it answers.
    Example:
        >>> payouts = external(
        ...     "payouts",
        ...     "payouts.example",
        ...     dedupe_by="idempotency-key",
        ...     responses=[{"method": "POST", "path": "/payouts", "body": {"payoutId": "po-1"}}],
        ... )
    """
    options = {"dedupeBy": dedupe_by, "responses": _with_portable_bodies(responses)}
    return External(_declared("external", name=name, host=host, options=options))


def fetch_call(external: str, method: str | None = None) -> FetchCalls:
    """Select the requests that an external has applied.

    Args:
        external: Name of a declared external.
        method: Only requests with this method; None: any.
    Example:
        >>> payments = fetch_call("payouts", "POST")
    """
    return FetchCalls(_declared("fetchCall", external=external, method=method))


def workflow_rows(binding: str) -> WorkflowRows:
    """Select the instances of a Workflow at the end of the run.

    One row each: id, status, params, output and error.

    Args:
        binding: A binding named in `setup`.
    Example:
        >>> approvals = workflow_rows("APPROVALS")
    """
    return WorkflowRows(_declared("workflowRows", binding=binding))


def at_most_once_per_key(name: str, selector: FetchCalls, key_path: str) -> Invariant:
    """Claim that for each key at most one selected effect happens.

    Args:
        name: What reports call the claim.
        selector: The effects.
        key_path: Where an effect has its key ("args.body.expenseId").
    Example:
        >>> once = at_most_once_per_key(
        ...     "paid-once", fetch_call("payouts", "POST"), "args.body.expenseId"
        ... )
    """
    return Invariant(_declared("atMostOncePerKey", name=name, selector=selector, keyPath=key_path))


def unique(name: str, rows: WorkflowRows, key_path: str) -> Invariant:
    """Claim that in the end no two rows have the same key.

    Args:
        name: What reports call the claim.
        rows: The rows.
        key_path: Where a row has its key ("params.expenseId").
    Example:
        >>> one = unique("one-run", workflow_rows("APPROVALS"), "params.expenseId")
    """
    return Invariant(_declared("unique", name=name, rows=rows, keyPath=key_path))


def bounds(
    *,
    max_faults_per_run: int | None = None,
    max_redeliveries: int | None = None,
    max_concurrent_invocations: int | None = None,
    budget_ms: int | None = None,
) -> BoundsGiven:
    """Say what to explore, and for how long at most; None keeps the default.

    Args:
        max_faults_per_run: Most faults in one schedule (1).
        max_redeliveries: Most redeliveries of driver events in one schedule (1).
        max_concurrent_invocations: Most invocations of the Worker under way at once (1).
        budget_ms: Wall-clock milliseconds that the search may spend (10 000).
    Example:
        >>> limits = bounds(max_faults_per_run=2, budget_ms=60_000)
    """
    return BoundsGiven(
        _declared(
            "bounds",
            maxFaultsPerRun=max_faults_per_run,
            maxRedeliveries=max_redeliveries,
            maxConcurrentInvocations=max_concurrent_invocations,
            budgetMs=budget_ms,
        )
    )


def _declared(kind: str, **members: object) -> Declaration:
    # The caller of the public function that called this one.
    frame = sys._getframe(2)  # noqa: SLF001 - the place is for messages only
    code = frame.f_code
    position = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, column = position[0] or frame.f_lineno, (position[2] or 0) + 1
    return Declaration(kind, f"{code.co_filename}:{line}:{column}", members)


def _with_portable_bodies(items: Sequence[Request] | Sequence[Response]) -> object:
    """Bodies become text or bytes here, as in a TypeScript scenario."""
    if not isinstance(items, (list, tuple)):
        return items
    return [
        {**item, "body": _portable_body(item["body"])}
        if isinstance(item, Mapping) and "body" in item
        else item
        for item in items
    ]


def _portable_body(body: bytes | Json) -> dict[str, str] | None:
    if body is None:
        return None
    if isinstance(body, str):
        return {"text": body}
    if isinstance(body, (bytes, bytearray)):
        return {"bytes": base64.b64encode(body).decode()}
    plain = json.loads(json.dumps(body, allow_nan=False))
    return {"json": encode(plain)}
