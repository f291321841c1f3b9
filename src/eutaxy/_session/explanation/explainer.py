"""Says more about violations: always their cause, the rest when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from eutaxy._base.verdict import Explanation, Violation
from eutaxy._session.explanation.cause import cause_of
from eutaxy._session.explanation.nearest import neighbours
from eutaxy._session.model import Model


class Explainer:
    """Explains the violations of one check.

    Args:
        is_explaining: Say more than the cause; of violations with one cause, about the first.
    """

    def __init__(self, *, is_explaining: bool) -> None:
        self._is_explaining = is_explaining
        self._told: set[tuple[str, tuple[str, ...]]] = set()

    def explained(
        self,
        violation: Violation,
        model: Model,
        path: Sequence[int],
        write: Callable[[Sequence[int]], str],
    ) -> Violation:
        """A violation with its cause and, when that is asked for, its explanation.

        Args:
            violation: The violation.
            model: The graph that a replay of it walks.
            path: Its choices there.
            write: Writes a path of this graph as a token.
        """
        violation = replace(violation, cause=cause_of(model, path))
        subject = violation.invariant, violation.cause
        if not self._is_explaining or subject in self._told:
            return violation
        self._told.add(subject)
        found = neighbours(model, path, violation.invariant, write)
        explanation = Explanation(passing=found.passing, moved=found.runs)
        return replace(violation, explanation=explanation)
