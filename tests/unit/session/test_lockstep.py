"""Fibers that share more than their answers are noticed, and then whole activations are searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.code import FibersShare
from eutaxy._base.verdict import Compared, Verdict, VerdictKind
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session import checker, lockstep
from eutaxy._session.checker import Checker
from eutaxy._session.lockstep import compare_models
from eutaxy._session.model import Model
from eutaxy._session.options import CheckOptions
from eutaxy._session.suspicions import SHARED_RULE
from eutaxy.testing import Failed, scripted, sleep, step
from tests.unit.platform.lab import FLOW, client, create, gives, request, scenario_of, write

Flow = Callable[[Any], Any]

BUDGET_MS = 3_600_000


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


def _key_of_two_failed_steps(_: Any) -> Any:
    """Only when exactly two steps have failed in one lifetime, it is paid with two keys."""
    failed: set[str] = set()

    def flaky(name: str) -> Any:
        def callback(_: Any) -> Any:
            try:
                yield write(name, once=True)
            except Failed:
                failed.add(name)
                raise

        return callback

    def pay(_: Any) -> Any:
        yield write("pay", key="k")
        if len(failed) == 2:
            yield write("pay", key="both")

    for name in "abcde":
        yield step(name, flaky(name))
    yield step("pay", pay)


def _sound(_: Any) -> Any:
    def pay(_: Any) -> Any:
        yield write("pay", once=True)

    yield step("pay", pay)
    yield sleep("a while", "1 minute")


def _checker(flow: Flow, faults: int = 1, **options: Any) -> Checker:
    given = scenario_of(request(create()), faults=faults)
    # So much time that a slow machine compares and searches as much as a fast one.
    scenario = replace(given, bounds=replace(given.bounds, budget_ms=BUDGET_MS))
    make = scripted(**{FLOW: flow, "fetch": client})
    return Checker(scenario, make, Engine(), CheckOptions(**options))


def _check(flow: Flow, faults: int = 1) -> Verdict:
    return _checker(flow, faults).verdict()


@pytest.mark.parametrize(
    ("flow", "faults"),
    [
        (_keyed_by_a_counter, 1),
        (_read_by_a_later_step, 1),
        (_key_of_the_third_attempt, 2),
        (_key_of_who_came_last, 1),
        (_key_of_two_failed_steps, 2),
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


def _compared(**options: Any) -> Compared:
    scenario = scenario_of(request(create()), faults=1)
    code = scripted(**{FLOW: _sound, "fetch": client})
    models = (Model(scenario, code(is_factored=each), Engine()) for each in (True, False))
    return compare_models(*models, walks=3, faults_max=1, redeliveries_max=0, **options)


def test_a_comparison_that_time_ends_says_how_far_it_came() -> None:
    assert _compared().is_whole
    cut = _compared(is_out_of_time=lambda: True)
    assert cut == Compared(1, _compared().planned)
    assert not cut.is_whole


def test_a_walk_that_is_too_long_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "STEPS_MAX", 5)
    assert not _compared().is_whole


@pytest.fixture
def no_time_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison gets half of what the run without faults gets: in these tests, none."""
    monkeypatch.setattr(checker, "_clock", lambda limit_ms: lambda: limit_ms == BUDGET_MS / 2)


@pytest.mark.usefixtures("no_time_to_compare")
def test_a_verdict_says_that_the_comparison_was_cut() -> None:
    verdict = _check(_sound)
    assert verdict.kind is VerdictKind.BOUNDED
    assert not verdict.coverage.compared.is_whole
    strict = _checker(_sound, is_strict=True).verdict()
    assert strict.kind is VerdictKind.INCONCLUSIVE
    assert strict.reasons == (
        "half of the budget ended before it was seen that steps share nothing",
    )


@pytest.mark.usefixtures("no_time_to_compare")
def test_a_replay_compares_all_whatever_time_it_takes() -> None:
    """So that no machine is too slow to replay what another found."""
    _checker(_keyed_by_a_counter).prepared_model()
    with pytest.raises(FibersShare):
        _checker(_keyed_by_a_counter).prepared_model(is_timed=False)
