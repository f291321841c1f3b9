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

from eutaxy._declare.drive import (
    call,
    concurrently,
    create_instance,
    fire_schedule,
    http,
    pass_time,
    send_event,
    times,
)
from eutaxy._declare.externals import (
    external,
)
from eutaxy._declare.invariants import (
    always,
    at_least_once_per_key,
    at_most_once_per_key,
    eventually,
    exactly_once_per_key,
    implies,
    never,
    not_both,
    ordered,
    sum_equals,
    trace_holds,
    unique,
)
from eutaxy._declare.scenario import (
    bounds,
    define_scenario,
    workflow,
)
from eutaxy._declare.selectors import (
    binding_call,
    fetch_call,
    response,
    status_change,
    step_result,
    workflow_rows,
)
from eutaxy._declare.types import (
    AfterEvent,
    BoundsGiven,
    Data,
    DedupeBy,
    DedupeByBody,
    DedupeByHeader,
    Drive,
    Duration,
    External,
    Handle,
    Handled,
    Invariant,
    Json,
    Keyed,
    Request,
    Response,
    Retention,
    Row,
    RowsHold,
    ScenarioGiven,
    Selector,
    ServiceRequest,
    ServiceResponse,
    Setup,
    TraceHolds,
    TraceRecord,
    WorkerFiles,
    WorkflowError,
    WorkflowRows,
)

__all__ = [
    "AfterEvent",
    "BoundsGiven",
    "Data",
    "DedupeBy",
    "DedupeByBody",
    "DedupeByHeader",
    "Drive",
    "Duration",
    "External",
    "Handle",
    "Handled",
    "Invariant",
    "Json",
    "Keyed",
    "Request",
    "Response",
    "Retention",
    "Row",
    "RowsHold",
    "ScenarioGiven",
    "Selector",
    "ServiceRequest",
    "ServiceResponse",
    "Setup",
    "TraceHolds",
    "TraceRecord",
    "WorkerFiles",
    "WorkflowError",
    "WorkflowRows",
    "always",
    "at_least_once_per_key",
    "at_most_once_per_key",
    "binding_call",
    "bounds",
    "call",
    "concurrently",
    "create_instance",
    "define_scenario",
    "eventually",
    "exactly_once_per_key",
    "external",
    "fetch_call",
    "fire_schedule",
    "http",
    "implies",
    "never",
    "not_both",
    "ordered",
    "pass_time",
    "response",
    "send_event",
    "status_change",
    "step_result",
    "sum_equals",
    "times",
    "trace_holds",
    "unique",
    "workflow",
    "workflow_rows",
]
