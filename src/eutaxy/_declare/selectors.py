"""What happened: the things that invariants are about."""

from __future__ import annotations

from collections.abc import Mapping

from eutaxy._declare.notes import declared, portable_members
from eutaxy._declare.types import Json, Selector, WorkflowRows


def fetch_call(
    external: str,
    method: str | None = None,
    *,
    path: str | None = None,
    where: Mapping[str, Json] | None = None,
) -> Selector:
    """Select the requests that an external has applied.

    Key paths begin with `args.` (url, path, method, headers, body) or `answer.` (status, headers,
    body).

    Args:
        external: Name of a declared external.
        method: Only requests with this method; None: any.
        path: Only requests to a path like this ("/charges/:id", "/files/*"); None: any.
        where: Values that they must have, by key path.
    Example:
        >>> refunds = fetch_call("bank", "POST", path="/refunds", where={"args.body.full": True})
    """
    options = {"path": path, "where": portable_members(where)}
    return Selector(declared("fetchCall", external=external, method=method, options=options))


def binding_call(
    binding: str, operation: str | None = None, *, where: Mapping[str, Json] | None = None
) -> Selector:
    """Select calls of a binding that did their work; also those of the driver.

    Key paths begin with `args` or `answer`.

    Args:
        binding: A binding named in `setup`.
        operation: create, sendEvent, get, status, pause, resume, terminate ...; None: any.
        where: Values that they must have, by key path.
    Example:
        >>> approvals = binding_call("APPROVALS", "sendEvent")
    """
    options = {"where": portable_members(where)}
    return Selector(declared("bindingCall", binding=binding, operation=operation, options=options))


def step_result(
    binding: str, step: str | None = None, *, where: Mapping[str, Json] | None = None
) -> Selector:
    """Select outcomes of steps that were stored.

    Key paths begin with instance, params, step, count, value or error.

    Args:
        binding: A binding named in `setup`.
        step: Name of the step; None: any.
        where: Values that they must have, by key path.
    Example:
        >>> paid = step_result("APPROVALS", "pay out")
    """
    options = {"where": portable_members(where)}
    return Selector(declared("stepResult", binding=binding, step=step, options=options))


def status_change(
    binding: str, status: str | None = None, *, where: Mapping[str, Json] | None = None
) -> Selector:
    """Select moments at which an instance changed its status.

    Key paths begin with instance, params, status, output or error.

    Args:
        binding: A binding named in `setup`.
        status: The new status (queued, running, waiting, paused, complete, errored, terminated);
            None: any.
        where: Values that they must have, by key path.
    Example:
        >>> failed = status_change("APPROVALS", "errored")
    """
    options = {"where": portable_members(where)}
    return Selector(declared("statusChange", binding=binding, status=status, options=options))


def response(
    request: str | None = None,
    *,
    status: int | None = None,
    path: str | None = None,
    where: Mapping[str, Json] | None = None,
) -> Selector:
    """Select answers that requests of the driver got.

    Key paths begin with request, method, path, status, headers or body.

    Args:
        request: Name of the request ("req-1"); None: any.
        status: Only answers with this status; None: any.
        path: Only requests to a path like this; None: any.
        where: Values that they must have, by key path.
    Example:
        >>> accepted = response(status=202, path="/orders")
    """
    options = {"status": status, "path": path, "where": portable_members(where)}
    return Selector(declared("response", request=request, options=options))


def workflow_rows(binding: str) -> WorkflowRows:
    """Select the instances of a Workflow.

    One row each: id, status, params, output and error.

    Args:
        binding: A binding named in `setup`.
    Example:
        >>> approvals = workflow_rows("APPROVALS")
    """
    return WorkflowRows(declared("workflowRows", binding=binding))
