"""Reports of checks whose searches are shared out are the same, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._base.functions import NoFunctions
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Verdict
from eutaxy._platform.workflows.profile import Engine
from eutaxy._report.json_text import verdict_json
from eutaxy._session.checker import Checker
from eutaxy._session.options import CheckOptions
from eutaxy._session.workers import together
from eutaxy._session.workers.together import Together
from eutaxy.testing import scripted
from tests.oracles.inline import InlineCrew
from tests.planted import expenses
from tests.planted.cases import CASES, Case
from tests.planted.checking import Programs, check, with_faults


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the others take over from the first world on."""
    monkeypatch.setattr(together, "START_AT", 0)


def check_with(crew: InlineCrew, programs: Programs, scenario: Scenario, **options: Any) -> Verdict:
    checker = Checker(
        scenario,
        scripted(**programs),
        Engine(),
        CheckOptions(**options),
        together=Together(lambda: crew, NoFunctions()),
    )
    return checker.verdict()


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
