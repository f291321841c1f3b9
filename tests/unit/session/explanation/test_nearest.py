"""When nothing may be said about the schedules beside a violation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from eutaxy._explore.path import first_path
from eutaxy._explore.token import read_token
from eutaxy._explore.trace import Trace
from eutaxy._session.claims import Broken
from eutaxy._session.explanation import nearest
from eutaxy._session.explanation.nearest import Neighbours, neighbours
from eutaxy._session.model import Model
from eutaxy.errors import ScenarioError
from eutaxy.testing import step
from tests.planted.checking import Programs, check, checker_of
from tests.unit.platform.lab import FLOW, client, create, request, scenario_of, write

SCENARIO = scenario_of(request(create()), faults=1)
RESULT = "crash_after at workflow:FLOW:a#0 effect #{} (Workflow:FLOW step_result)"


def _writing(marks: Sequence[str], _: Any) -> Any:
    for mark in marks:
        yield write(mark)


def _paying(marks: Sequence[str]) -> Programs:
    def flow(_: Any) -> Any:
        yield step("pay", partial(_writing, marks))

    return {"fetch": client, FLOW: flow}


def _violated(programs: Programs, fault: str) -> tuple[Model, tuple[int, ...]]:
    """A graph, and the path in it of a violation with one fault."""
    violations = check(programs, SCENARIO, is_all=True).violations
    token = next(each.token for each in violations if each.faults[0].text == fault)
    checker = checker_of(programs, SCENARIO)
    return checker.with_reads(checker.prepared_model), read_token(token).path


def _written(path: Sequence[int]) -> str:
    return " ".join(map(str, path))


def test_nothing_is_moved_when_the_schedule_does_not_break_what_is_asked_for() -> None:
    model, path = _violated(_paying("x"), RESULT.format(3))
    assert neighbours(model, path, "once", _written).passing is not None
    assert neighbours(model, path, "another", _written) == Neighbours(None, 0)
    assert neighbours(model, first_path(model), "once", _written) == Neighbours(None, 0)


def test_a_fault_is_moved_so_many_effects_and_no_further() -> None:
    """Seven other calls could lose their answer; the first of them is too far away."""
    marks = "abcdefgh"
    fault = f"answer_lost at workflow:FLOW:a#0 effect #{len(marks) + 1} (Fetch:log POST)"
    model, path = _violated(_paying(marks), fault)
    found = neighbours(model, path, "once", _written)
    assert found == Neighbours(None, nearest.EFFECTS_MAX)


def test_runs_that_cannot_be_judged_are_not_called_passing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, path = _violated(_paying("x"), RESULT.format(3))
    claims = model.claims

    def judge(trace: Trace) -> tuple[Broken, ...]:
        broken = claims(trace)
        if not broken:
            raise ScenarioError("judging", "a predicate throws", "correct it")
        return broken

    monkeypatch.setattr(model, "claims", judge)
    found = neighbours(model, path, "once", _written)
    # The crash right after the write fails too; what cannot be judged is not counted.
    assert found == Neighbours(None, 1)
