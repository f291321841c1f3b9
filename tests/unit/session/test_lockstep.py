"""Fibers that share more than their answers are noticed, and then whole activations are searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import SHARED_RULE, Checker
from eutaxy._session.options import CheckOptions
from eutaxy.testing import scripted, sleep, step
from tests.unit.platform.lab import FLOW, client, create, gives, request, scenario_of, write

Flow = Callable[[Any], Any]


def _keyed_by_a_counter(_: Any) -> Any:
    """The idempotency key is counted in a variable that outlives an attempt, not a lifetime."""
    tries = []

    def pay(_: Any) -> Any:
        tries.append(1)
        yield write("pay", key=f"k{len(tries)}")

    yield step("pay", pay)


def _read_by_a_later_step(_: Any) -> Any:
    """A step leaves something in a variable for the next one; it is gone after a crash."""
    found: list[str] = []

    def look(_: Any) -> Any:
        found.append("key")
        return None

    def pay(_: Any) -> Any:
        yield write("pay", key=found[0] if found else "none")

    yield step("look", look)
    yield step("pay", pay)
    yield step("done", gives(None))


def _sound(_: Any) -> Any:
    def pay(_: Any) -> Any:
        yield write("pay", once=True)

    yield step("pay", pay)
    yield sleep("a while", "1 minute")


def _check(flow: Flow) -> Verdict:
    scenario = scenario_of(request(create()), faults=1)
    make = scripted(**{FLOW: flow, "fetch": client})
    return Checker(scenario, make, Engine(), CheckOptions()).verdict()


@pytest.mark.parametrize("flow", [_keyed_by_a_counter, _read_by_a_later_step])
def test_shared_variables_are_noticed_and_the_violation_is_found(flow: Flow) -> None:
    verdict = _check(flow)
    assert verdict.kind is VerdictKind.VIOLATED
    assert [each.rule for each in verdict.suspicions] == [SHARED_RULE]


def test_code_that_shares_nothing_is_searched_over_fibers() -> None:
    verdict = _check(_sound)
    assert verdict.kind is VerdictKind.BOUNDED
    assert SHARED_RULE not in [each.rule for each in verdict.suspicions]
