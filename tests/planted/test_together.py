"""Reports of checks whose searches are shared out are the same, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._explore import divided, search
from eutaxy._report.json_text import verdict_json
from eutaxy._session.workers import together
from eutaxy.testing import step
from eutaxy.testing import together as asked_together
from tests.oracles.inline import InlineCrew, check_with
from tests.oracles.workers import WORKERS, Worker
from tests.planted import expenses
from tests.planted.cases import CASES, Case
from tests.planted.checking import check, with_faults
from tests.unit.platform.lab import FLOW, client, create, request, scenario_of, write


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the others take over from the first world on."""
    monkeypatch.setattr(together, "START_AT", 0)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_planted_workers(case: Case, count: int) -> None:
    for programs, faults in ((case.planted, 1), (case.fixed, 2)):
        scenario = with_faults(case.scenario, faults)
        alone = check(programs, scenario, is_all=True)
        assert check_with(InlineCrew(count), programs, scenario, is_all=True) == alone
        assert verdict_json(alone)


@pytest.mark.parametrize("is_fixed", [False, True])
@pytest.mark.parametrize("lives", [3, 20])
def test_a_lost_partition_is_built_again(lives: int, *, is_fixed: bool) -> None:
    programs = expenses.programs(is_fixed=is_fixed)
    scenario = expenses.scenario(faults=2, redeliveries=1, concurrent=2)
    crew = InlineCrew(2, lives)
    assert check_with(crew, programs, scenario) == check(programs, scenario)
    assert crew.replaced >= 1


@pytest.mark.parametrize("worker", WORKERS.values(), ids=list(WORKERS))
def test_workers_of_every_shape(worker: Worker) -> None:
    alone = check(worker.programs, worker.scenario, is_all=True)
    assert check_with(InlineCrew(2), worker.programs, worker.scenario, is_all=True) == alone


def test_a_level_too_large_to_be_finished_is_left_to_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (search, divided):
        monkeypatch.setattr(module, "EXTRA_WORK_MIN", 0)
    programs = expenses.programs(is_fixed=False)
    scenario = expenses.scenario(faults=1, redeliveries=0, concurrent=2, expenses=2)
    alone = check(programs, scenario, is_all=True)
    assert alone.violations[0].others < 0, "the level must not be finished"
    assert check_with(InlineCrew(2), programs, scenario, is_all=True) == alone


def test_what_is_searched_in_one_order_is_searched_by_one_process() -> None:
    # Whether one order was enough is told by what this process has seen its choices do.
    def mark(name: str) -> Any:
        return lambda _: iter_once(write(name))

    def run(event: Any) -> Any:
        yield asked_together(step("x", mark("x")), step("y", mark("y")))

    programs = {"fetch": client, FLOW: run}
    scenario = scenario_of(request(create()), faults=1)
    alone = check(programs, scenario, is_all=True, is_one_by_one=True)
    assert alone.coverage.orders
    crew = InlineCrew(2)
    options = {"is_all": True, "is_one_by_one": True}
    assert check_with(crew, programs, scenario, **options) == alone
    assert crew.calls == 0


def iter_once(ask: Any) -> Any:
    yield ask
