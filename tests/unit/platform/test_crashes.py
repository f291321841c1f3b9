"""Where an activation may die, and what is left of it (spec section 4; K-46 ... K-53, F-...)."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._base.fault import Fault
from eutaxy._base.record import RecordKind
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy.testing import Failed, race, scripted, sleep, step, timer, together, wait
from tests.unit.platform.lab import (
    FLOW,
    Outage,
    Ran,
    Strike,
    after,
    client,
    create,
    event,
    fails,
    gives,
    request,
    retries,
    run,
    scenario_of,
    write,
)

S = 1_000
BEFORE, AFTER = Fault.CRASH_BEFORE, Fault.CRASH_AFTER


def writing(value: Any = "v") -> Any:
    """A callback that writes `w` and returns."""

    def callback(_: Any) -> Any:
        yield write("w")
        return value

    return callback


def one_step(callback: Any = None, config: Any = None) -> Any:
    def flow(_: Any) -> Any:
        return (yield step("s", callback or writing(), config))

    return flow


def struck(flow: Any, fault: Fault, effect: str, nth: int = 1) -> Ran:
    return run(flow, None, Strike(fault=fault, effect=effect, nth=nth))


LIMIT_0 = retries(0, 0)


def test_f_do_1_a_crash_before_the_step_begins_leaves_nothing_of_it() -> None:
    """And F-DO-2: its config is stored, but nothing else."""
    ran = struck(one_step(), BEFORE, "step_start")
    assert ran.numbers("s") == [(1, 1)]
    assert ran.writes == [(1 * S, "w")]
    assert ran.output == "v"


def test_k_46_f_do_3_a_crash_after_the_attempt_began_loses_it_without_effects() -> None:
    ran = struck(one_step(config=LIMIT_0), AFTER, "step_start")
    assert ran.numbers("s") == [(1, 1), (1, 2)]
    assert ran.writes == [(1 * S, "w")]
    assert ran.output == "v"


def test_f_do_4_a_crash_inside_the_callback_repeats_it_from_the_top() -> None:
    """R-RT-5: the next attempt starts at recovery, without backoff."""

    def twice(_: Any) -> Any:
        yield write("one")
        yield write("two")

    ran = struck(one_step(twice), AFTER, "Fetch:log POST")
    assert ran.writes == [(0, "one"), (1 * S, "one"), (1 * S, "two")]
    assert ran.numbers("s") == [(1, 1), (1, 2)]


def test_k_47_f_do_5_a_crash_before_the_result_is_stored_repeats_every_effect() -> None:
    ran = struck(one_step(config=LIMIT_0), AFTER, "step_result")
    assert ran.numbers("s") == [(1, 1), (1, 2)]
    assert ran.writes == [(0, "w"), (1 * S, "w")]
    assert ran.output == "v"


def test_k_48_f_do_6_a_crash_after_the_result_was_stored_repeats_nothing() -> None:
    """R-DO-1, R-DO-2."""

    def flow(_: Any) -> Any:
        value = yield step("s", writing(), LIMIT_0)
        yield step("next", gives(None))
        return value

    ran = run(flow, None, Strike(fault=BEFORE, effect="step_start", nth=2))
    assert ran.numbers("s") == [(1, 1)]
    assert ran.writes == [(0, "w")]
    assert len(ran.lifetimes) == 2
    assert ran.output == "v"


def test_f_do_7_a_crash_before_the_failure_was_handled_forgets_it() -> None:
    """The next attempt begins at recovery, not after the delay."""
    ran = struck(one_step(fails(), retries(1, "100 seconds")), AFTER, "step_result")
    assert ran.calls("s")[:2] == [0, 1 * S]


def test_k_49_f_do_9_a_crash_in_the_last_attempt_gives_one_more_than_the_limit() -> None:
    """R-RT-4."""

    def second(context: Any) -> Any:
        if context["attempt"] == 1:
            raise Failed("Error", "first")
        return "second"

    ran = struck(one_step(second, LIMIT_0), AFTER, "step_result")
    assert ran.numbers("s") == [(1, 1), (1, 2)]
    assert ran.output == "second"


def test_r_rt_4_if_that_one_throws_the_step_fails() -> None:
    ran = struck(one_step(fails(), LIMIT_0), AFTER, "step_result")
    assert ran.numbers("s") == [(1, 1), (1, 2)]
    assert ran.error["message"] == "no"


def _fails_once(context: Any) -> Any:
    if context["attempt"] == 1:
        raise Failed("Error", "once")
    return "ok"


@pytest.mark.parametrize(("until_ms", "second"), [(6 * S, 10 * S), (15 * S, 15 * S)])
def test_k_50_k_51_a_stored_retry_timer_outlives_the_engine(until_ms: int, second: int) -> None:
    """R-RT-5, F-DO-8."""
    flow = one_step(_fails_once, retries(5, "10 seconds", "constant"))
    ran = run(flow, None, Outage(at_ms=4 * S, until_ms=until_ms))
    assert ran.calls("s") == [0, second]
    assert ran.output == "ok"


def test_f_do_10_a_stored_error_is_thrown_again() -> None:
    """R-DO-4."""

    def flow(_: Any) -> Any:
        try:
            yield step("s", fails("same"), LIMIT_0)
        except Failed as failed:
            yield step("next", gives(None))
            return failed.message

    ran = run(flow, None, Strike(fault=BEFORE, effect="step_start", nth=2))
    assert ran.output == "same"
    assert len(ran.calls("s")) == 1


def test_f_do_11_a_non_retryable_failure_may_end_differently_after_a_crash() -> None:
    """R-NR-3: the other branch of run."""

    def second(context: Any) -> Any:
        if context["attempt"] == 1:
            raise Failed("NonRetryableError", "first")
        return "second"

    def flow(_: Any) -> Any:
        try:
            value = yield step("s", second)
        except Failed:
            yield step("undo", gives(None))
            return "undone"
        return value

    ran = run(flow, None, Strike(fault=BEFORE, effect="step_start", nth=2))
    assert ran.output == "second"
    assert ran.calls("undo") == []


def _two_writes(_: Any) -> Any:
    yield write("first")
    yield write("second")


def test_f_do_12_a_late_answer_lets_the_attempt_time_out_and_overlap_the_next() -> None:
    """R-TO-3: and what the old attempt still does, it does."""
    flow = one_step(_two_writes, {**retries(1, "50 seconds", "constant"), "timeout": "20 seconds"})
    late = Strike(fault=Fault.ANSWER_LATE, effect="Fetch:log POST")
    ran = run(flow, None, late, prefer="Expire")
    assert ran.calls("s") == [0, 70 * S]
    assert ran.writes == [(0, "first"), (20 * S, "second"), (70 * S, "first"), (70 * S, "second")]
    # At the very timeout both orders are possible (4.4).
    ran = run(flow, None, late, prefer="Hear")
    assert ran.calls("s") == [0]
    assert ran.writes == [(0, "first"), (20 * S, "second")]


@pytest.mark.parametrize(("callback", "lives_on"), [(writing(), False), (_two_writes, True)])
def test_f_do_12_a_superseded_attempt_is_kept_only_if_it_can_still_do_something(
    callback: Any, *, lives_on: bool
) -> None:
    flow = one_step(callback, {**retries(1, "50 seconds"), "timeout": "20 seconds"})
    model = Model(scenario_of(request(create())), scripted(fetch=client, FLOW=flow)(), Engine())
    world = model.initial
    words = ("Deliver", "Act", "Start()", "StartAttempt", "answer_late", "clock", "Expire")
    for word in words:
        options = model.choices(world)
        world = model.step(world, next(each for each in options if word in model.describe(each)))
    texts = [model.describe(option) for option in model.choices(world)]
    assert any("Hear" in text for text in texts) is lives_on


def test_f_do_12_a_timed_out_callback_goes_on_during_the_wait_for_the_retry() -> None:
    """R-TO-3, R-RT-2: its timer at 3 s is over long before the second attempt at 11 s."""
    config = {**retries(1, "10 seconds", "constant"), "timeout": "1 second"}
    ran = run(one_step(after(3 * S, "w", "late"), config))
    assert ran.calls("s") == [0, 11 * S]
    assert ran.end_ms == 12 * S
    assert ran.writes == [(3 * S, "w"), (14 * S, "w")]


def test_f_do_12_a_late_answer_may_come_long_before_the_timeout() -> None:
    scenario = scenario_of(request(create()), request(at=10 * S))
    ran = run(
        one_step(_two_writes),
        scenario,
        Strike(fault=Fault.ANSWER_LATE, effect="Fetch:log POST"),
    )
    assert ran.writes == [(0, "first"), (10 * S, "second")]
    assert ran.calls("s") == [0]


def test_f_do_13_a_call_in_flight_lands_after_its_caller_died() -> None:
    ran = struck(one_step(), Fault.CRASH_IN_FLIGHT, "Fetch:log POST")
    landed = [each for each in ran.records if each.kind is RecordKind.LANDED]
    assert len(landed) == 1
    assert len(ran.writes) == 2
    assert ran.output == "v"


def test_f_do_13_a_call_in_flight_whose_key_gets_used_is_over() -> None:
    """It would change nothing any more, so it is not kept."""

    def once(_: Any) -> Any:
        yield write("w", once=True)

    strike = Strike(fault=Fault.CRASH_IN_FLIGHT, effect="Fetch:log POST")
    early = run(one_step(once), None, strike)
    assert [each.at_ms for each in early.records if each.kind is RecordKind.LANDED] == [0]
    late = run(one_step(once), None, strike, prefer="clock")
    assert [each for each in late.records if each.kind is RecordKind.LANDED] == []
    assert late.writes == [(1 * S, "w")]


def test_dying_before_an_effect_is_offered_once_for_a_lifetime() -> None:
    """Dying before one of two parallel steps is dying before the other."""

    def flow(_: Any) -> Any:
        yield together(step("a", gives(1)), step("b", gives(2)))

    def handle(_: Any) -> Any:
        yield together(write("x"), write("y"))
        return {"status": 200, "headers": {}, "body": ""}

    for programs, scenario in (
        ({"fetch": client, FLOW: flow}, scenario_of(request(create()))),
        ({"fetch": handle}, scenario_of(request())),
    ):
        model = Model(scenario, scripted(**programs)(), Engine())
        world = model.initial
        while len(options := [each for each in model.choices(world) if not each.faults]) == 1:
            world = model.step(world, options[0])
        texts = [model.describe(option) for option in model.choices(world)]
        assert sum(text.endswith("crash_before") for text in texts) == 1


def test_dying_before_an_effect_is_not_offered_where_it_is_dying_after_the_one_before() -> None:
    model = Model(
        scenario_of(request(create())),
        scripted(fetch=client, FLOW=one_step(_two_writes))(),
        Engine(),
    )
    world, offered = model.initial, []
    while options := model.choices(world):
        before = [each for each in options if model.describe(each).endswith("crash_before")]
        offered.append(len(before))
        world = model.step(world, options[0])
    # The request's first call, and the first step_start of the lifetime; no other effect.
    assert sum(offered) == 2


def test_f_do_14_a_lost_answer_is_a_failure_and_the_retry_repeats_the_effect() -> None:
    ran = struck(one_step(), Fault.ANSWER_LOST, "Fetch:log POST")
    assert ran.writes == [(0, "w"), (10 * S, "w")]
    assert ran.calls("s") == [0, 10 * S]


def test_f_do_15_a_lost_request_is_a_failure_without_effect() -> None:
    ran = struck(one_step(), Fault.REQUEST_LOST, "Fetch:log POST")
    assert ran.writes == [(10 * S, "w")]
    assert ran.calls("s") == [0, 10 * S]


def test_f_do_16_a_result_that_cannot_be_stored_fails_the_attempt() -> None:
    ran = struck(one_step(), Fault.STORE_FAILED, "step_result")
    assert ran.writes == [(0, "w"), (10 * S, "w")]
    assert ran.calls("s") == [0, 10 * S]
    assert ran.output == "v"


def test_f_run_1_a_crash_between_steps_replays_from_the_records() -> None:
    def flow(_: Any) -> Any:
        yield write("outside")
        first = yield step("a", writing("a"))
        second = yield step("b", writing("b"))
        return [first, second]

    ran = run(flow, None, Strike(fault=BEFORE, effect="step_start", nth=2))
    assert ran.output == ["a", "b"]
    assert ran.writes == [(0, "outside"), (0, "w"), (1 * S, "outside"), (1 * S, "w")]


def test_f_run_2_finished_branches_stay_and_unfinished_ones_begin_again() -> None:
    def flow(_: Any) -> Any:
        return (yield together(step("fast", after(10, "f", 1)), step("slow", after(500, "s", 2))))

    ran = run(flow, None, Outage(at_ms=100, until_ms=200))
    assert ran.output == [1, 2]
    assert ran.writes == [(10, "f"), (700, "s")]
    assert (ran.numbers("fast"), ran.numbers("slow")) == ([(1, 1)], [(1, 1), (1, 2)])


def test_k_52_f_run_3_a_race_may_be_decided_differently_after_a_crash() -> None:
    """R-PAR-2, R-PAR-3."""

    def flow(_: Any) -> Any:
        picked = yield race(step("p1", after(300, "", "p1")), step("p2", gives("p2")))
        yield sleep("a while", "1 minute")
        yield step(f"picked {picked}", gives(None))
        return picked

    assert run(flow).output == "p2"
    ran = run(flow, None, Outage(at_ms=30 * S, until_ms=31 * S))
    assert ran.output == "p1"


def test_f_run_7_a_crash_after_run_returned_replays_everything() -> None:
    def flow(_: Any) -> Any:
        yield write("outside")
        return (yield step("s", writing()))

    ran = struck(flow, AFTER, "run_result")
    assert ran.output == "v"
    assert ran.writes == [(0, "outside"), (0, "w"), (1 * S, "outside")]


def test_f_run_9_a_dangling_step_may_be_half_done_at_the_end() -> None:
    def half(_: Any) -> Any:
        yield write("one")
        yield timer(5 * S)
        yield write("two")

    def flow(_: Any) -> Any:
        yield race(step("half", half), step("quick", after(1 * S)))
        return "over"

    ran = run(flow)
    assert ran.end_ms == 1 * S
    assert ran.writes == [(0, "one"), (5 * S, "two")]


@pytest.mark.parametrize("downtime_ms", [1, 1_000, 77_000])
def test_the_engine_is_back_after_the_downtime(downtime_ms: int) -> None:
    """4.1."""
    scenario = scenario_of(request(create()), downtime_ms=downtime_ms)
    ran = run(one_step(), scenario, Strike(fault=AFTER, effect="step_start"))
    assert ran.lifetimes == [0, downtime_ms]


def test_an_event_ends_the_downtime() -> None:
    """4.1: calls that start the engine do so at once."""

    def flow(_: Any) -> Any:
        yield step("s", gives(None))
        return (yield wait("w", type="t"))["payload"]

    scenario = scenario_of(request(create()), request(event("A"), at=5 * S), downtime_ms=60 * S)
    ran = run(flow, scenario, Strike(fault=AFTER, effect="step_start"))
    assert ran.lifetimes == [0, 5 * S]
    assert ran.output == "A"


def test_reading_the_status_does_not_end_the_downtime() -> None:
    """R-ST-1."""
    scenario = scenario_of(
        request(create()),
        request(["status", {"id": "a"}], ["get", {"id": "a"}], at=5 * S),
        downtime_ms=60 * S,
    )
    ran = run(one_step(), scenario, Strike(fault=AFTER, effect="step_start"))
    assert ran.lifetimes == [0, 60 * S]


def test_code_sees_nothing_of_a_crash() -> None:
    """4.1: promises vanish without throwing."""

    def flow(_: Any) -> Any:
        seen = "nothing"
        try:
            yield step("s", writing())
        except Failed:
            seen = "an error"
        return seen

    for fault, effect in [
        (BEFORE, "step_start"),
        (AFTER, "Fetch:log POST"),
        (AFTER, "step_result"),
    ]:
        assert struck(flow, fault, effect).output == "nothing"


def test_a_crash_of_a_request_leaves_what_it_did() -> None:
    scenario = scenario_of(request(create("a"), create("b")))
    ran = run(one_step(), scenario, Strike(fault=AFTER, effect="create"))
    assert ran.status("a")["status"] == "complete"
    with pytest.raises(AssertionError):
        ran.instance("b")
