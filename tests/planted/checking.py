"""Checking scripted Workers, and replaying what a check reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Verdict
from eutaxy._explore.token import read_token, replay_schedule
from eutaxy._explore.trace import Trace
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import Checker
from eutaxy._session.options import CheckOptions
from eutaxy.testing import scripted

Programs = Mapping[str, Callable[[Any], Any]]


def checker_of(programs: Programs, scenario: Scenario, **options: Any) -> Checker:
    return Checker(scenario, scripted(**programs), Engine(), CheckOptions(**options))


def check(programs: Programs, scenario: Scenario, **options: Any) -> Verdict:
    """Check a scripted Worker."""
    return checker_of(programs, scenario, **options).verdict()


def with_faults(scenario: Scenario, faults: int, redeliveries: int = 0) -> Scenario:
    """The scenario under other bounds."""
    bounds = replace(scenario.bounds, max_faults=faults, max_redeliveries=redeliveries)
    return replace(scenario, bounds=bounds)


@dataclass(frozen=True)
class Replay:
    """A replayed token: its trace, and what it breaks."""

    trace: Trace
    claims: tuple[str, ...]


def replay(programs: Programs, scenario: Scenario, token: str) -> Replay:
    """Replay a token in a fresh model, as the command does."""
    schedule = read_token(token)
    bounds = replace(
        scenario.bounds,
        max_redeliveries=schedule.redeliveries_max,
        max_concurrent=schedule.concurrent_max,
    )
    kept = tuple(
        request for request, is_kept in zip(scenario.drive, schedule.kept, strict=True) if is_kept
    )
    checker = checker_of(programs, replace(scenario, bounds=bounds))

    def work() -> Replay:
        checker.run_without_faults(checker.model())
        model = checker.model(replace(scenario, bounds=bounds, drive=kept))
        trace = replay_schedule(model, schedule)
        return Replay(trace, tuple(broken.claim for broken in model.claims(trace)))

    return checker.with_reads(work)
