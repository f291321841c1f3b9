"""Says more about violations: always their cause, the rest when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Explanation, Violation
from eutaxy._platform.workflows.profile import Engine, Profile
from eutaxy._session.explanation.cause import cause_of
from eutaxy._session.explanation.nearest import neighbours
from eutaxy._session.explanation.rules import rules_of
from eutaxy._session.explanation.switches import NotingProfile, switches_of
from eutaxy._session.model import Model


class Explainer:
    """Explains the violations of one check.

    Args:
        make_model: Gives a variant of the scenario as a graph of worlds.
        is_explaining: Say more than the cause; of violations with one cause, about the first.
    """

    def __init__(
        self, make_model: Callable[[Scenario, Engine], Model], *, is_explaining: bool
    ) -> None:
        self._make_model = make_model
        self._is_explaining = is_explaining
        self._models: dict[tuple[tuple[str, ...], Profile], Model] = {}
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
        explanation = Explanation(
            passing=found.passing,
            moved=found.runs,
            switches=switches_of(partial(self._under, model), model.engine.profile, path),
            rules=rules_of(model, path),
        )
        return replace(violation, explanation=explanation)

    def _under(self, model: Model, profile: Profile) -> Model:
        """The graph of a schedule under another profile; one is made once for all violations."""
        engine = replace(model.engine, profile=profile)
        if isinstance(profile, NotingProfile):
            # What a graph remembers it does not read again.
            return self._make_model(model.scenario, engine)
        kept = tuple(event.name for event in model.scenario.drive)
        if (kept, profile) not in self._models:
            self._models[kept, profile] = self._make_model(model.scenario, engine)
        return self._models[kept, profile]
