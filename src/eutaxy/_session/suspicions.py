"""What is suspicious beside a verdict, without what the scenario silences."""

from __future__ import annotations

from collections.abc import Sequence

from eutaxy._base.code import FibersShare
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Suspicion, Verdict, VerdictKind
from eutaxy._session.model import Model
from eutaxy._session.unused import unused_parts

SHARED_RULE = "F-RUN-1"
"""What variables shared between steps and `run` run into: they are gone after an eviction."""


def suspicions_beside(
    scenario: Scenario,
    model: Model,
    verdict: Verdict,
    *,
    shared: FibersShare | None,
    refused: Sequence[Suspicion],
) -> tuple[Suspicion, ...]:
    """Everything suspicious, in a fixed order.

    Args:
        scenario: The declarations.
        model: The graph that was searched.
        verdict: The verdict.
        shared: What showed that steps share variables; None when nothing did.
        refused: Calls of the driver that fail even without faults.
    """
    found: list[Suspicion] = []
    subjects: set[tuple[str, str]] = set()
    for each in model.diagnostics:
        subject = (each.rule, each.subject)
        if each.subject and subject in subjects:
            continue
        subjects.add(subject)
        found.append(Suspicion(rule=each.rule, text=each.text, place=each.place))
    if shared is not None:
        text = (
            "step callbacks and run() share variables, which are lost when the Workflow is "
            f"replayed (seen at: {shared.what}); let steps return what others need"
        )
        found.append(Suspicion(rule=SHARED_RULE, text=text))
    found += refused
    if verdict.kind is not VerdictKind.VIOLATED and verdict.coverage.complete is not None:
        found += unused_parts(scenario, model, is_whole=verdict.coverage.is_whole)
    return tuple(each for each in found if each.rule not in scenario.silenced)
