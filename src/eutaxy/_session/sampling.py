"""Drawing schedules at random beyond what was covered: finds more, and covers nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from eutaxy._base.bounds import COUNT_MAX, Bounds
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Coverage, Sampled, Verdict, VerdictKind, Violation
from eutaxy._explore.path import first_path
from eutaxy._explore.sample import Draws, draw_runs
from eutaxy._explore.trace import trace_of
from eutaxy._session.along import violation_along
from eutaxy._session.model import Model
from eutaxy._session.regressions.anchored import follow, turns_of
from eutaxy._world.world import World

MORE_FAULTS = 2
"""How many more faults than the bounds allow are drawn once all of the bounds is covered."""

MORE_REDELIVERIES = 1

BUDGET_SHARE = 0.1
"""Share of the budget that is kept for drawing, when schedules are to be drawn."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn, and what it broke."""

    sampled: Sampled
    violation: Violation | None


def sample(
    scenario: Scenario,
    make_model: Callable[[Scenario], Model],
    coverage: Coverage,
    *,
    profile: str,
    seed: str,
    runs: int,
    is_over: Callable[[], bool],
) -> Sample:
    """Draw schedules; the first that breaks something is made smaller and ends it.

    Args:
        scenario: The declarations.
        make_model: Gives a variant of the scenario as a graph of worlds.
        coverage: What was covered: with all of the bounds, more faults than those are drawn.
        profile: Name of the platform behaviour.
        seed: Decides what is drawn.
        runs: How many.
        is_over: Asked before each; ends the drawing.
    """
    wider = replace(scenario, bounds=_beyond(scenario.bounds, is_whole=coverage.is_whole))
    model = make_model(wider)
    drawn = draw_runs(
        model,
        Draws(
            seed=seed,
            runs=runs,
            faults=wider.bounds.max_faults,
            redeliveries=wider.bounds.max_redeliveries,
            length=len(first_path(model)),
        ),
        is_bad_run=lambda path, end: _is_bad(model, path, end),
        is_over=is_over,
    )
    violation = None
    if drawn.bad is not None:
        path = _smaller(model, wider, drawn.bad)
        violation = violation_along(
            scenario, wider, profile, model, path, certificate=_certificate(coverage)
        )
        assert violation is not None
    sampled = Sampled(
        runs=drawn.runs,
        distinct=drawn.distinct,
        faults=wider.bounds.max_faults,
        redeliveries=wider.bounds.max_redeliveries,
    )
    return Sample(sampled, violation)


def with_sample(verdict: Verdict, drawn: Sample) -> Verdict:
    """The verdict of a search that found nothing, with what was drawn afterwards."""
    coverage = replace(verdict.coverage, sampled=drawn.sampled)
    if drawn.violation is None:
        return replace(verdict, coverage=coverage)
    return replace(
        verdict,
        kind=VerdictKind.VIOLATED,
        coverage=coverage,
        violations=(drawn.violation,),
        vacuous=(),
        reasons=(),
    )


def _beyond(bounds: Bounds, *, is_whole: bool) -> Bounds:
    """The bounds within which is drawn: those of the check while they are not covered."""
    if not is_whole:
        return bounds
    return replace(
        bounds,
        max_faults=min(bounds.max_faults + MORE_FAULTS, COUNT_MAX),
        max_redeliveries=min(bounds.max_redeliveries + MORE_REDELIVERIES, COUNT_MAX),
    )


def _is_bad(model: Model, path: tuple[int, ...], end: World) -> bool:
    if model.is_bad_at_rest(end):
        return True
    return model.needs_whole_traces and bool(model.trace_findings(trace_of(model, path)))


def _smaller(model: Model, scenario: Scenario, path: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out one turn after another for as long as the same invariant stays broken."""
    events = [event.name for event in scenario.drive]
    wanted = _broken(model, path)
    turns = turns_of(model, events, path)
    at = 0
    while at < len(turns):
        fewer = (*turns[:at], *turns[at + 1 :])
        followed = follow(model, events, fewer)
        if followed.is_ended and followed.placed == len(fewer):
            shorter = tuple(followed.path)
            if wanted <= _broken(model, shorter):
                turns, path = fewer, shorter
                continue
        at += 1
    return path


def _broken(model: Model, path: tuple[int, ...]) -> set[str]:
    return {each.invariant for each in model.claims(trace_of(model, path))}


def _certificate(coverage: Coverage) -> str:
    if coverage.complete is None:
        return "none: it was drawn at random, and nothing was covered before"
    level = coverage.complete
    return (
        f"none: it was drawn at random; no schedule with at most {level.faults} faults and "
        f"{level.redeliveries} redeliveries fails"
    )
