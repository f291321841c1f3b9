"""Checks by several real processes: the same bytes, also when one of them is killed."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

import pytest

from eutaxy._report.json_text import verdict_json
from eutaxy._session import session
from eutaxy._session.options import CheckOptions
from eutaxy._session.workers import processes, together
from eutaxy._session.workers.processes import Processes

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"

pytestmark = [pytest.mark.host, pytest.mark.slow]


class Waited(Processes):
    """Processes that are waited for, so that the search is theirs from the beginning."""

    killed = 0

    def __init__(self, count: int) -> None:
        super().__init__(count)
        for future in self._loading:
            future.result()
        self._calls = 0


class Killed(Waited):
    """One of the processes is killed in the middle."""

    def executor(self, partition: int) -> Executor:
        self._calls += 1
        executor = super().executor(partition)
        if self._calls == 40:
            self._children[partition].kill()
            Killed.killed += 1
        return executor


def report(scenario: str, *, workers: int, faults: int = 3) -> str:
    options = CheckOptions(
        workers=workers, max_faults=faults, max_concurrent=2, budget_ms=100_000, is_all=True
    )
    return verdict_json(session.check(str(EXAMPLE / scenario), options=options))


@pytest.mark.parametrize("scenario", ["expenses.fixed.sim.ts", "python/expenses_sim.py"])
def test_the_report_is_the_same_with_any_number_of_processes(
    scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "START_AT", 0)
    monkeypatch.setattr(processes, "Processes", Waited)
    alone = report(scenario, workers=1)
    for workers in (2, 3):
        assert report(scenario, workers=workers) == alone


def test_a_killed_process_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "START_AT", 0)
    monkeypatch.setattr(processes, "Processes", Killed)
    monkeypatch.setattr(Killed, "killed", 0)
    alone = report("expenses.fixed.sim.ts", workers=1)
    assert report("expenses.fixed.sim.ts", workers=2) == alone
    assert Killed.killed == 1


def test_a_short_search_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(count: int) -> Processes:
        raise AssertionError(count)

    monkeypatch.setattr(processes, "Processes", never)
    assert report("expenses.sim.ts", workers=8, faults=1)
