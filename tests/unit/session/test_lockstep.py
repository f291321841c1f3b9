"""Fibers that share more than their answers are noticed, and then whole activations are searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import SHARED_RULE, Checker
from eutaxy._session.lockstep import compare_models
from eutaxy._session.model import Model
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


def _key_of_the_third_attempt(_: Any) -> Any:
    """Two failures in one lifetime make it use another key."""
    tries = []

    def pay(_: Any) -> Any:
        tries.append(1)
        yield write("pay", key="last" if len(tries) > 2 else "k")

    yield step("pay", pay)


def _key_of_who_came_last(_: Any) -> Any:
    """An attempt that ran out of time hears a late answer, and sees that another has begun."""
    tries = []

    def pay(_: Any) -> Any:
        tries.append(1)
        mine = len(tries)
        yield write("look", key="look")
        yield write("pay", key="k" if mine == len(tries) else "zombie")

    yield step("pay", pay, {"timeout": "5 seconds"})


def _sound(_: Any) -> Any:
    def pay(_: Any) -> Any:
        yield write("pay", once=True)

    yield step("pay", pay)
    yield sleep("a while", "1 minute")


def _check(flow: Flow, faults: int = 1) -> Verdict:
    scenario = scenario_of(request(create()), faults=faults)
    make = scripted(**{FLOW: flow, "fetch": client})
    return Checker(scenario, make, Engine(), CheckOptions()).verdict()


@pytest.mark.parametrize(
    ("flow", "faults"),
    [
        (_keyed_by_a_counter, 1),
        (_read_by_a_later_step, 1),
        (_key_of_the_third_attempt, 2),
        (_key_of_who_came_last, 1),
    ],
)
def test_shared_variables_are_noticed_and_the_violation_is_found(flow: Flow, faults: int) -> None:
    verdict = _check(flow, faults)
    assert verdict.kind is VerdictKind.VIOLATED
    assert [each.rule for each in verdict.suspicions] == [SHARED_RULE]


def test_code_that_shares_nothing_is_searched_over_fibers() -> None:
    verdict = _check(_sound)
    assert verdict.kind is VerdictKind.BOUNDED
    assert SHARED_RULE not in [each.rule for each in verdict.suspicions]


def test_a_comparison_that_time_ends_says_how_far_it_came() -> None:
    scenario = scenario_of(request(create()), faults=1)
    code = scripted(**{FLOW: _sound, "fetch": client})
    models = [
        Model(scenario, code(frozenset(), is_factored=each), Engine()) for each in (True, False)
    ]
    compared = compare_models(
        *models, walks=3, faults_max=1, redeliveries_max=0, is_out_of_time=lambda: True
    )
    assert compared.done == 1 < compared.all
