"""Services that the Worker reaches by `fetch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eutaxy._declare.notes import (
    declared,
    portable_body,
    portable_members,
    portable_or_none,
    with_portable_bodies,
)
from eutaxy._declare.types import (
    Data,
    DedupeBy,
    Duration,
    External,
    Handle,
    Json,
    Response,
    ServiceRequest,
)


def external(
    name: str,
    host: str,
    *,
    dedupe_by: DedupeBy | None = None,
    dedupe_window: Duration | None = None,
    responses: Sequence[Response] = (),
    state: Json = None,
    handle: Handle | None = None,
    failures: Sequence[int] = (),
    outage: Duration | None = None,
) -> External:
    """Declare an outside service that the Worker reaches by `fetch`.

    Args:
        name: What reports call it ("payouts").
        host: Its host name ("payouts.example").
        dedupe_by: How it recognises a repetition, which it answers as it did the first time
            without doing anything: the name of a header, {"header": ...}, {"body": ...} or a
            function from the request to the key. None: it promises nothing.
        dedupe_window: How long it remembers a key; None: for good.
        responses: What it answers; the first that matches is given.
        state: Its state at first, for `handle`.
        handle: What it answers, instead of `responses`: a pure function of request and state.
        failures: Statuses that it may answer with, as a fault, without having done anything.
        outage: How long an outage lasts, which may then begin as a fault.
    Example:
        >>> payouts = external(
        ...     "payouts",
        ...     "payouts.example",
        ...     dedupe_by="idempotency-key",
        ...     responses=[{"method": "POST", "path": "/payouts", "body": {"payoutId": "po-1"}}],
        ...     failures=[503],
        ... )
    """
    options = {
        "dedupeBy": dedupe_by,
        "dedupeWindow": dedupe_window,
        "responses": _portable(responses),
        "state": portable_or_none(state),
        "handle": _Handler(handle) if callable(handle) else handle,
        "failures": failures,
        "outage": outage,
    }
    return External(declared("external", name=name, host=host, options=options))


def _portable(responses: object) -> object:
    items = with_portable_bodies(responses)
    if not isinstance(items, list):
        return items
    return [
        {**item, "when": portable_members(item["when"])}
        if isinstance(item, Mapping) and "when" in item
        else item
        for item in items
    ]


class _Handler:
    """A service function as a function of one argument; bodies that it answers become text."""

    def __init__(self, handle: Callable[[ServiceRequest, Data], object]) -> None:
        self._handle = handle

    def __call__(self, given: Data) -> object:
        handled = self._handle(given["request"], given["state"])
        if not isinstance(handled, Mapping) or not isinstance(handled.get("response"), Mapping):
            return handled
        response = handled["response"]
        return {**handled, "response": {**response, "body": portable_body(response.get("body"))}}
