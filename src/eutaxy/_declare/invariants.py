"""What must be true."""

from __future__ import annotations

from collections.abc import Sequence

from eutaxy._declare.notes import declared, portable_items
from eutaxy._declare.types import (
    Invariant,
    Json,
    Keyed,
    RowsHold,
    Selector,
    TraceHolds,
    WorkflowRows,
)


def at_most_once_per_key(name: str, selector: Selector, key_path: str) -> Invariant:
    """Claim that for each key at most one selected effect happens.

    Args:
        name: What reports call the claim.
        selector: The effects.
        key_path: Where an effect has its key ("args.body.expenseId").
    Example:
        >>> from eutaxy.cloudflare import fetch_call
        >>> once = at_most_once_per_key(
        ...     "paid-once", fetch_call("payouts", "POST"), "args.body.expenseId"
        ... )
    """
    return Invariant(declared("atMostOncePerKey", name=name, selector=selector, keyPath=key_path))


def exactly_once_per_key(
    name: str,
    selector: Selector,
    key_path: str,
    *,
    keys: Sequence[Json] | None = None,
    of: Keyed | None = None,
) -> Invariant:
    """Claim that for each expected key exactly one selected effect happens.

    More than one breaks it at once; none breaks it at rest.

    Args:
        name: What reports call the claim.
        selector: The effects.
        key_path: Where an effect has its key.
        keys: The expected keys.
        of: Or: the keys of these happenings are expected.
    Example:
        >>> from eutaxy.cloudflare import fetch_call, response
        >>> paid = exactly_once_per_key(
        ...     "paid", fetch_call("bank", "POST"), "args.body.id", keys=["o-1", "o-2"]
        ... )
    """
    expected = {"keys": portable_items(keys), "of": of}
    return Invariant(
        declared(
            "exactlyOncePerKey",
            name=name,
            selector=selector,
            keyPath=key_path,
            expected=expected,
        )
    )


def at_least_once_per_key(
    name: str,
    selector: Selector,
    key_path: str,
    *,
    keys: Sequence[Json] | None = None,
    of: Keyed | None = None,
) -> Invariant:
    """Claim that in the end each expected key has had a selected effect.

    Args:
        name: What reports call the claim.
        selector: The effects.
        key_path: Where an effect has its key.
        keys: The expected keys.
        of: Or: the keys of these happenings are expected.
    Example:
        >>> from eutaxy.cloudflare import binding_call, fetch_call
        >>> mailed = at_least_once_per_key(
        ...     "mailed",
        ...     fetch_call("mail", "POST"),
        ...     "args.body.id",
        ...     of=(binding_call("ORDERS", "create"), "args.options.id"),
        ... )
    """
    expected = {"keys": portable_items(keys), "of": of}
    return Invariant(
        declared(
            "atLeastOncePerKey",
            name=name,
            selector=selector,
            keyPath=key_path,
            expected=expected,
        )
    )


def never(name: str, selector: Selector) -> Invariant:
    """Claim that nothing selected ever happens.

    Args:
        name: What reports call the claim.
        selector: What must not happen.
    Example:
        >>> from eutaxy.cloudflare import status_change
        >>> fine = never("no-run-fails", status_change("ORDERS", "errored"))
    """
    return Invariant(declared("never", name=name, selector=selector))


def not_both(name: str, first: Keyed, second: Keyed) -> Invariant:
    """Claim that for no key both happen.

    Args:
        name: What reports call the claim.
        first: Happenings with their key path.
        second: Other happenings with their key path.
    Example:
        >>> from eutaxy.cloudflare import fetch_call
        >>> sane = not_both(
        ...     "refunded-or-shipped",
        ...     (fetch_call("bank", "POST", path="/refunds"), "args.body.order"),
        ...     (fetch_call("depot", "POST"), "args.body.order"),
        ... )
    """
    return Invariant(declared("notBoth", name=name, first=first, second=second))


def ordered(name: str, first: Keyed, then: Keyed) -> Invariant:
    """Claim that for each key one thing happens only after another has.

    Args:
        name: What reports call the claim.
        first: What must happen first, with its key path.
        then: What may happen only then, with its key path.
    Example:
        >>> from eutaxy.cloudflare import fetch_call
        >>> sane = ordered(
        ...     "paid-before-shipped",
        ...     (fetch_call("bank", "POST"), "args.body.order"),
        ...     (fetch_call("depot", "POST"), "args.body.order"),
        ... )
    """
    return Invariant(declared("ordered", name=name, first=first, then=then))


def implies(name: str, cause: Keyed, effect: Keyed, *others: Keyed) -> Invariant:
    """Claim that in the end, for each key for which one thing happened, another has happened too.

    With several effects, at least one of them.

    Args:
        name: What reports call the claim.
        cause: What happened, with its key path.
        effect: What must then have happened, with its key path.
        others: What may have happened instead.
    Example:
        >>> from eutaxy.cloudflare import fetch_call
        >>> sane = implies(
        ...     "charged-is-shipped",
        ...     (fetch_call("bank", "POST"), "args.body.order"),
        ...     (fetch_call("depot", "POST"), "args.body.order"),
        ... )
    """
    return Invariant(declared("implies", name=name, cause=cause, effects=[effect, *others]))


def unique(name: str, rows: WorkflowRows, key_path: str) -> Invariant:
    """Claim that in the end no two rows have the same key.

    Args:
        name: What reports call the claim.
        rows: The rows.
        key_path: Where a row has its key ("params.expenseId").
    Example:
        >>> from eutaxy.cloudflare import workflow_rows
        >>> one = unique("one-run", workflow_rows("APPROVALS"), "params.expenseId")
    """
    return Invariant(declared("unique", name=name, rows=rows, keyPath=key_path))


def sum_equals(name: str, rows: WorkflowRows, key_path: str, total: float) -> Invariant:
    """Claim that in the end the numbers in all rows add up to a total.

    Args:
        name: What reports call the claim.
        rows: The rows.
        key_path: Where a row has its number ("output.cents").
        total: What they must add up to.
    Example:
        >>> from eutaxy.cloudflare import workflow_rows
        >>> kept = sum_equals("money-kept", workflow_rows("TRANSFERS"), "output.delta", 0)
    """
    return Invariant(declared("sumEquals", name=name, rows=rows, keyPath=key_path, total=total))


def always(name: str, rows: WorkflowRows, holds: RowsHold) -> Invariant:
    """Claim something about rows at every moment.

    Args:
        name: What reports call the claim.
        rows: The rows.
        holds: A pure function from the rows to whether they are as they should be.
    Example:
        >>> from eutaxy.cloudflare import workflow_rows
        >>> few = always("at-most-two", workflow_rows("JOBS"), lambda rows: len(rows) <= 2)
    """
    return Invariant(declared("always", name=name, rows=rows, holds=holds))


def eventually(name: str, rows: WorkflowRows, holds: RowsHold) -> Invariant:
    """Claim something about rows at rest, once faults have stopped.

    Args:
        name: What reports call the claim.
        rows: The rows.
        holds: A pure function from the rows to whether they are as they should be.
    Example:
        >>> from eutaxy.cloudflare import workflow_rows
        >>> done = eventually(
        ...     "all-done",
        ...     workflow_rows("JOBS"),
        ...     lambda rows: all(row["status"] == "complete" for row in rows),
        ... )
    """
    return Invariant(declared("eventually", name=name, rows=rows, holds=holds))


def trace_holds(name: str, holds: TraceHolds) -> Invariant:
    """Claim something about the whole trace, judged at rest.

    With such a claim equal situations with different pasts cannot be treated as one, so far fewer
    schedules are covered in the same time.

    Args:
        name: What reports call the claim.
        holds: A pure function from the trace to whether it is as it should be.
    Example:
        >>> short = trace_holds("short", lambda trace: len(trace) < 100)
    """
    return Invariant(declared("traceHolds", name=name, holds=holds))
