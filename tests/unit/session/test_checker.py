"""What a check answers, and how honest it is about what it covered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.scenario import Scenario, Unique, WorkflowRows
from eutaxy._base.verdict import Level, VerdictKind
from eutaxy._explore import path
from eutaxy._session import checker
from eutaxy._session.options import CheckOptions, with_options
from eutaxy.errors import ScenarioError
from eutaxy.testing import Failed, draw, now, sleep, step, together, wait
from tests.planted.checking import Programs, check, checker_of, replay
from tests.unit.platform.lab import (
    FLOW,
    ONCE_PER_KEY,
    client,
    create,
    event,
    gives,
    request,
    retries,
    scenario_of,
    send,
    write,
)

ONE_RUN = Unique(name="one-run", rows=WorkflowRows(binding=FLOW), key_path="params")


def answering(body: Any = None) -> Any:
    """A handler that writes once, with an idempotency key, and answers."""

    def handle(_: Any) -> Any:
        yield write("w", once=True)
        return {"status": 200, "headers": {}, "body": ""}

    return handle


WRITES: Programs = {"fetch": answering()}


# -- coverage ---------------------------------------------------------------------------------


def test_bounded_carries_what_was_covered() -> None:
    verdict = check(WRITES, scenario_of(request(), faults=1))
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.coverage.complete == Level(faults=1, redeliveries=0)
    assert verdict.coverage.is_whole
    assert verdict.coverage.is_merging
    # The call: as normal | dying before, after or during it, losing it, its answer, or it is late.
    assert verdict.coverage.schedules == (1, 6)
    assert verdict.bounds.max_faults == 1
    assert verdict.coverage.worlds > 1
    assert verdict.reasons == ()


def test_an_invariant_that_matched_nothing_makes_it_inconclusive() -> None:
    silent: Programs = {"fetch": lambda _: {"status": 200, "headers": {}, "body": ""}}
    verdict = check(silent, scenario_of(request()))
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert verdict.vacuous == ("once",)
    assert verdict.reasons == ("an invariant never matched anything, so it was not checked",)


def test_an_invariant_over_rows_that_never_existed_is_vacuous_too() -> None:
    scenario = scenario_of(request(), invariants=(ONCE_PER_KEY, ONE_RUN))
    verdict = check(WRITES, scenario)
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert verdict.vacuous == ("one-run",)


def test_an_invariant_that_matches_only_behind_a_fault_is_not_vacuous() -> None:
    def handle(_: Any) -> Any:
        try:
            yield write("a", once=True)
        except Failed:
            yield write("b", once=True)
        return {"status": 200, "headers": {}, "body": ""}

    other = replace(ONCE_PER_KEY, name="other")
    scenario = scenario_of(request(), faults=1, invariants=(other,))
    assert check({"fetch": handle}, scenario).vacuous == ()


class Ticking:
    """A clock that is a millisecond later whenever somebody looks at it."""

    def __init__(self) -> None:
        self._looks = 0

    def monotonic(self) -> float:
        self._looks += 1
        return self._looks / 1_000


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let budgets end after so many looks at the clock, on any machine."""
    monkeypatch.setattr(checker, "time", Ticking())


def _many_writes(_: Any) -> Any:
    for number in range(150):
        yield write(str(number), once=True)
    return {"status": 200, "headers": {}, "body": ""}


def _within(looks: int) -> Scenario:
    scenario = scenario_of(request(), faults=40, redeliveries=3)
    return replace(scenario, bounds=replace(scenario.bounds, budget_ms=looks))


@pytest.mark.usefixtures("ticking")
def test_a_budget_that_ends_too_soon_is_inconclusive() -> None:
    verdict = check({"fetch": _many_writes}, _within(1))
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert verdict.coverage.complete is None
    assert verdict.coverage.schedules == ()
    assert verdict.reasons[0].startswith("the budget ended before the schedules without faults")


@pytest.mark.usefixtures("ticking")
def test_a_level_that_is_not_complete_is_bounded_unless_strict() -> None:
    verdict = check({"fetch": _many_writes}, _within(60))
    assert verdict.kind is VerdictKind.BOUNDED
    assert not verdict.coverage.is_whole
    assert verdict.coverage.complete is not None
    assert len(verdict.coverage.schedules) == verdict.coverage.complete.faults + 1
    strict = check({"fetch": _many_writes}, _within(60), is_strict=True)
    assert strict.kind is VerdictKind.INCONCLUSIVE
    assert strict.reasons[0].startswith("the budget ended before everything inside the bounds")


# -- the run without faults -------------------------------------------------------------------


def test_a_handler_that_throws_is_the_user_s_error() -> None:
    def handle(_: Any) -> Any:
        yield from ()
        raise Failed("TypeError", "x is undefined")

    with pytest.raises(ScenarioError) as error:
        check({"fetch": handle}, scenario_of(request()))
    assert error.value.doing == "running lab without faults"
    assert error.value.found == "req-1 throws: TypeError: x is undefined"


def test_an_instance_that_fails_is_the_user_s_error() -> None:
    def flow(_: Any) -> Any:
        yield from ()
        raise Failed("Error", "no")

    with pytest.raises(ScenarioError) as error:
        check({"fetch": client, FLOW: flow}, scenario_of(request(create())))
    assert error.value.found == f"workflow:{FLOW}:a#0 ends errored: Error: no"


def test_a_workflow_that_polls_for_ever_is_the_user_s_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(path, "STEPS_MAX", 60)

    def flow(_: Any) -> Any:
        while True:
            yield sleep("poll", "1 second")

    with pytest.raises(ScenarioError, match="does not come to rest"):
        check({"fetch": client, FLOW: flow}, scenario_of(request(create())))


def test_a_run_that_outlasts_its_time_is_the_user_s_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where each step is so slow that it would never come to `STEPS_MAX`."""
    monkeypatch.setattr(checker, "LEAST_MS", 0)

    def flow(_: Any) -> Any:
        while True:
            yield sleep("poll", "1 second")

    scenario = scenario_of(request(create()))
    scenario = replace(scenario, bounds=replace(scenario.bounds, budget_ms=1))
    with pytest.raises(ScenarioError, match="does not come to rest"):
        check({"fetch": client, FLOW: flow}, scenario)


# -- what code reads --------------------------------------------------------------------------


def _reading(what: Any) -> Programs:
    def flow(_: Any) -> Any:
        yield sleep("a while", "1 minute")
        seen = yield what()
        yield step(f"s {seen}", writing_once)

    def writing_once(_: Any) -> Any:
        yield write("w", once=True)

    return {"fetch": client, FLOW: flow}


@pytest.mark.parametrize("what", [now, draw])
def test_a_read_found_on_the_way_restarts_the_check_with_it_in_the_state(what: Any) -> None:
    checking = checker_of(_reading(what), scenario_of(request(create()), faults=1))
    assert checking.code.reads(FLOW) == frozenset()
    verdict = checking.verdict()
    assert verdict.kind is VerdictKind.BOUNDED
    assert [read.value for read in checking.code.reads(FLOW)] == [
        {"now": "clock", "draw": "random"}[what.__name__]
    ]


def test_randomness_differs_between_lifetimes_and_attempts() -> None:
    """A number drawn outside of steps is drawn anew after a crash: a key of that name is no key."""

    def flow(_: Any) -> Any:
        number = yield draw()
        yield step("pay", lambda _: _pay(str(number)), retries(0, 0))

    def _pay(key: str) -> Any:
        yield write("w", key=key)

    scenario = scenario_of(request(create()), faults=1)
    verdict = check({"fetch": client, FLOW: flow}, scenario, is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    for violation in verdict.violations:
        assert replay({"fetch": client, FLOW: flow}, scenario, violation.token).claims


def test_a_number_drawn_in_a_step_is_kept() -> None:
    def drawing(_: Any) -> Any:
        return (yield draw())

    def flow(_: Any) -> Any:
        number = yield step("draw", drawing)
        yield step("pay", lambda _: _pay(str(number)))

    def _pay(key: str) -> Any:
        yield write("w", key=key)

    scenario = scenario_of(request(create()), faults=2)
    assert check({"fetch": client, FLOW: flow}, scenario).kind is VerdictKind.BOUNDED


# -- shared closures --------------------------------------------------------------------------


def _leaking(_: Any) -> Any:
    """A callback that writes a variable of `run`, which a later step uses: lost on replay."""
    found = {"key": "unknown"}

    def look(_: Any) -> Any:
        yield write("look", once=True)
        found["key"] = "known"

    def pay(_: Any) -> Any:
        yield write("pay", key=found["key"])

    yield step("look", look)
    yield step("pay", pay)


def test_a_callback_that_writes_a_variable_of_run_is_checked_as_a_whole() -> None:
    scenario = scenario_of(request(create()), faults=1)
    programs: Programs = {"fetch": client, FLOW: _leaking}
    verdict = check(programs, scenario, is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    texts = {violation.faults[0].text for violation in verdict.violations}
    # Once the first step is stored, a replay skips the callback and pays under another key.
    assert f"crash_after at workflow:{FLOW}:a#0 effect #5 (Fetch:log POST)" in texts


# -- witnesses --------------------------------------------------------------------------------


def _two_invariants(_: Any) -> Any:
    yield write("a")
    yield write("b")
    return {"status": 200, "headers": {}, "body": ""}


def test_each_broken_invariant_is_reported_once() -> None:
    scenario = scenario_of(
        request(),
        redeliveries=1,
        invariants=(ONCE_PER_KEY, replace(ONCE_PER_KEY, name="again")),
    )
    verdict = check({"fetch": _two_invariants}, scenario)
    assert [each.invariant for each in verdict.violations] == ["once", "again"]


def test_rows_are_judged_at_rest() -> None:
    def handle(given: Any) -> Any:
        return (yield from client(given))

    def flow(_: Any) -> Any:
        yield from ()

    create_any = send("create", options={"params": 1})
    scenario = scenario_of(request(create_any), redeliveries=1, invariants=(ONE_RUN,))
    (violation,) = check({"fetch": handle, FLOW: flow}, scenario).violations
    assert violation.redelivered == ("req-1",)
    assert violation.claim.startswith(f"Workflow:{FLOW} has two instances with params = 1: ")


def test_requests_that_are_not_needed_are_left_out() -> None:
    def flow(_: Any) -> Any:
        yield step("pay", writing, retries(0, 0))

    def writing(_: Any) -> Any:
        yield write("w")

    scenario = scenario_of(
        request(create()), request(event("unused")), request(send("status", id="a")), faults=1
    )
    (violation,) = check({"fetch": client, FLOW: flow}, scenario).violations
    assert violation.kept == ("req-1",)
    assert not any(record.activation == "req-2" for record in violation.trace)


def test_options_replace_the_bounds_of_the_scenario() -> None:
    scenario = scenario_of(request(), faults=1, redeliveries=2)
    options = CheckOptions(max_faults=3, budget_ms=5)
    bounds = with_options(scenario, options).bounds
    assert (bounds.max_faults, bounds.max_redeliveries, bounds.max_concurrent) == (3, 2, 1)
    assert bounds.budget_ms == 5
    assert with_options(scenario, CheckOptions()) == scenario


def test_the_same_check_twice_gives_equal_verdicts() -> None:
    def flow(_: Any) -> Any:
        yield step("s", gives(1))
        yield write("outside")

    scenario = scenario_of(request(create()), faults=1)
    programs: Programs = {"fetch": client, FLOW: flow}
    assert check(programs, scenario, is_all=True) == check(programs, scenario, is_all=True)


# -- what shares nothing -----------------------------------------------------------------------


def _writes_its_own(given: Any) -> Any:
    yield step("s", lambda _: (yield write(given["payload"], once=True)))


def _writes_the_same(given: Any) -> Any:
    yield step("s", lambda _: (yield write("same")), retries(0, 0))


def _two_created(faults: int) -> Scenario:
    requests = [request(create(name, params=name)) for name in "ab"]
    return scenario_of(*requests, faults=faults, concurrent=2)


def test_what_shares_nothing_is_kept_apart_unless_told_otherwise() -> None:
    programs: Programs = {"fetch": client, FLOW: _writes_its_own}
    apart = check(programs, _two_created(1))
    whole = check(programs, _two_created(1), is_reducing=False)
    assert (apart.kind, whole.kind) == (VerdictKind.BOUNDED, VerdictKind.BOUNDED)
    assert apart.coverage.apart == (("req-1",), ("req-2",))
    assert whole.coverage.apart == ()
    assert apart.coverage.complete == whole.coverage.complete
    assert apart.coverage.transitions < whole.coverage.transitions


def test_a_violation_is_the_same_with_and_without_keeping_apart() -> None:
    programs: Programs = {"fetch": client, FLOW: _writes_the_same}
    verdict = check(programs, _two_created(1))
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict == check(programs, _two_created(1), is_reducing=False)


def _beside_a_wait(given: Any) -> Any:
    """Without its event, steps beside each other go on while a wait does."""
    try:
        yield wait("w", type="t", timeout=1_000)
    except Failed:
        yield together(
            step("x", lambda _: (yield write("x"))),
            step("y", lambda _: (yield write("y"))),
            sleep("n", 1),
        )
        return
    yield together(step("x", lambda _: (yield write("x"))), step("y", lambda _: (yield write("y"))))
    yield step("again", lambda _: (yield write("x")))


def test_a_smaller_scenario_in_which_steps_are_tangled_is_no_smaller_witness() -> None:
    programs: Programs = {"fetch": client, FLOW: _beside_a_wait}
    scenario = scenario_of(request(create()), request(event("e"), at=500), faults=0)
    assert not check(programs, scenario).coverage.orders
    verdict = check(programs, scenario, is_one_by_one=True)
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.coverage.orders
    (violation,) = verdict.violations
    assert violation.kept == ("req-1", "req-2")
    assert tuple(replay(programs, scenario, violation.token).trace.records) == violation.trace


# -- what is drawn -----------------------------------------------------------------------------


def _two_tries(_: Any) -> Any:
    """Two lost answers use up the retries; what is done then is done once more."""

    def pay(_: Any) -> Any:
        yield write("pay", once=True)

    try:
        yield step("pay", pay, retries(1, 0))
    except Failed:
        yield step("pay otherwise", lambda _: (yield write("pay")), retries(0, 0))


def test_what_lies_beyond_the_bounds_is_found_by_drawing_and_made_small() -> None:
    programs: Programs = {"fetch": client, FLOW: _two_tries}
    given = scenario_of(request(create()), faults=1)
    # So much time that it is the number of runs that ends the drawing, on any machine.
    scenario = replace(given, bounds=replace(given.bounds, budget_ms=3_600_000))
    assert check(programs, scenario).kind is VerdictKind.BOUNDED
    verdict = check(programs, scenario, samples=3_000)
    assert verdict.kind is VerdictKind.VIOLATED
    (violation,) = verdict.violations
    # No more turns than it takes.
    assert 2 <= len(violation.faults) <= 3
    assert "drawn at random; no schedule with at most 1 faults" in violation.certificate
    assert verdict.coverage.complete == Level(faults=1, redeliveries=0)
    assert verdict.coverage.sampled is not None
    assert verdict.coverage.sampled.faults == 3
    assert tuple(replay(programs, scenario, violation.token).trace.records) == violation.trace
    assert check(programs, scenario, samples=3_000) == verdict


def test_what_is_drawn_covers_nothing() -> None:
    verdict = check(WRITES, scenario_of(request(), faults=1), samples=200)
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.coverage.complete == Level(faults=1, redeliveries=0)
    sampled = verdict.coverage.sampled
    assert sampled is not None
    assert (sampled.runs, sampled.faults, sampled.redeliveries) == (200, 3, 1)
    assert 1 < sampled.distinct < 200
