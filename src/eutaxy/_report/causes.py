"""Violations put together by their cause, with a heading over each group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eutaxy._base.display import visible
from eutaxy._base.verdict import Violation


def by_cause(violations: Sequence[Violation]) -> Iterator[tuple[Violation, list[str]]]:
    """Violations by invariant and cause, in the order in which each was first met.

    Returns:
        Each violation with the lines to print before it: a heading for the first one of a cause,
        none where the invariant has a single violation in the report.
    """
    groups: dict[str, dict[tuple[str, ...], list[Violation]]] = {}
    for violation in violations:
        causes = groups.setdefault(violation.invariant, {})
        causes.setdefault(violation.cause, []).append(violation)
    for causes in groups.values():
        is_alone = sum(map(len, causes.values())) == 1
        for number, (cause, members) in enumerate(causes.items(), start=1):
            # What was not counted may belong to any cause, also to one that is not here.
            at_least = "at least " if members[0].others < 0 else ""
            several = "violation" if len(members) == 1 else "violations"
            counted = f"{at_least}{len(members):,} minimal {several}"
            heading = f"Cause {number} of {at_least}{len(causes)} ({counted}): {_told(cause)}"
            for at, violation in enumerate(members):
                yield violation, [] if is_alone or at else [heading]


def _told(cause: tuple[str, ...]) -> str:
    return " + ".join(map(visible, cause)) or "no fault"
