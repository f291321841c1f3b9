"""Saving what a check has found, so that the next one tries it first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import RegressionState, Violation
from eutaxy._explore.token import read_token
from eutaxy._explore.trace import trace_of
from eutaxy._session.checker import Checker
from eutaxy._session.regressions.anchored import follow, turns_of
from eutaxy._session.regressions.file import Regression, regression_text
from eutaxy._session.regressions.folder import write_file
from eutaxy._session.regressions.trial import Trial


def save_all(
    checker: Checker,
    scenario: Scenario,
    violations: Iterable[Violation],
    folder: Path,
    trials: Iterable[Trial],
) -> list[str]:
    """Save violations whose cause no regression stands for yet.

    Args:
        checker: Gives models; no search of it is under way.
        scenario: The declarations.
        violations: What the search has found.
        folder: Where regressions of the scenario are.
        trials: What came of those that are there.

    Returns:
        What to tell the user: what was saved, or why it was not.
    """
    failing = {
        trial.regression.cause
        for trial in trials
        if trial.regression is not None and trial.tried.state is RegressionState.FAILS
    }
    told: list[str] = []
    for violation in violations:
        regression = checker.with_reads(partial(anchored, checker, scenario, violation))
        if regression is None:
            told.append(
                f"The schedule {violation.token} was not saved: it cannot be told by its steps and "
                "effects alone"
            )
            continue
        path = folder / regression.file_name
        if regression.cause in failing or path.exists():
            continue
        failing.add(regression.cause)
        try:
            write_file(path, regression_text(regression))
        except OSError as error:
            told.append(f"Warning: {path} was not saved: {error.strerror}")
            break
        told.append(f"Saved {path}: commit it, and the next check tries it first")
    return told


def anchored(checker: Checker, scenario: Scenario, violation: Violation) -> Regression | None:
    """A violation as a regression; None when following that would be another run."""
    schedule = read_token(violation.token)
    drive = tuple(each for each in scenario.drive if each.name in violation.kept)
    bounds = replace(
        scenario.bounds,
        max_redeliveries=schedule.redeliveries_max,
        max_concurrent=schedule.concurrent_max,
    )
    model = checker.model(replace(scenario, bounds=bounds, drive=drive))
    events = [each.name for each in drive]
    turns = turns_of(model, events, schedule.path)
    followed = follow(model, events, turns)
    broken = {each.invariant for each in model.claims(trace_of(model, followed.path))}
    if violation.invariant not in broken:
        return None
    return Regression(
        scenario=scenario.name,
        invariant=violation.invariant,
        claim=violation.claim,
        events=violation.kept,
        redeliveries_max=schedule.redeliveries_max,
        concurrent_max=schedule.concurrent_max,
        profile=schedule.profile or "prod",
        turns=turns,
    )
