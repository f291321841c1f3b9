"""Steps: attempts, retries, timeouts, errors, results (spec sections 2.1 to 2.6, K-01 ... K-30)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._platform.workflows.profile import PROD, Engine
from eutaxy.testing import Failed, leave, race, sleep, step, timer, together, wait
from tests.unit.platform.lab import (
    Outage,
    after,
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


def test_k_01_a_step_returns_and_run_returns() -> None:
    def flow(_: Any) -> Any:
        value = yield step("one", gives(1))
        return {"a": value}

    ran = run(flow)
    assert ran.output == {"a": 1}
    assert ran.calls("one") == [0]
    assert ran.now_ms == 0


def test_k_02_a_step_that_returns_nothing_stays_undefined_after_replay() -> None:
    def flow(_: Any) -> Any:
        before = yield step("nothing", gives(None))
        yield sleep("long", "10 minutes")
        return before == {"$": "undefined"}

    ran = run(flow)
    assert ran.output is True
    assert len(ran.calls("nothing")) == 1
    assert len(ran.lifetimes) == 2


def test_k_03_the_default_config_retries_five_times_exponentially() -> None:
    """R-RT-1, R-RT-2, R-RT-3: starts at 0, 10, 30, 70, 150, 310 s."""

    def flow(_: Any) -> Any:
        yield step("bad", lambda context: fails(f"E{context['attempt']}")(context))

    ran = run(flow)
    assert ran.error == {"name": "Error", "message": "E6"}
    assert ran.calls("bad") == [0, 10 * S, 30 * S, 70 * S, 150 * S, 310 * S]
    assert ran.end_ms == 310 * S


@pytest.mark.parametrize(
    ("config", "starts"),
    [
        pytest.param(retries(2, "5 seconds", "constant"), [0, 5, 10], id="K-04"),
        pytest.param(retries(3, "2 seconds", "linear"), [0, 2, 6, 12], id="K-05"),
        pytest.param(retries(3, "2 seconds", "exponential"), [0, 2, 6, 14], id="K-06"),
        pytest.param(retries(2, 1000), [0, 1, 3], id="K-07"),
        pytest.param(retries(2, 1000, {"$": "undefined"}), [0, 1, 2], id="K-08"),
        pytest.param(retries(0, 1000), [0], id="K-09"),
        pytest.param(retries(5, "10 seconds", "constant"), [0, 10, 20, 30, 40, 50], id="constant"),
        pytest.param(retries(5, "10 seconds", "linear"), [0, 10, 30, 60, 100, 150], id="linear"),
        pytest.param(retries(5, "10 seconds"), [0, 10, 30, 70, 150, 310], id="exponential"),
        pytest.param(retries(5, "1 second"), [0, 1, 3, 7, 15, 31], id="one-second"),
        pytest.param(retries(1.5, 1000, "constant"), [0, 1], id="a-fraction-is-compared"),
    ],
)
def test_the_table_of_delays(config: Any, starts: list[int]) -> None:
    """R-RT-1, R-RT-2, R-RT-3 and the delay table of 2.3."""

    def flow(_: Any) -> Any:
        yield step("bad", fails("last"), config)

    ran = run(flow)
    assert ran.calls("bad") == [each * S for each in starts]
    assert ran.error == {"name": "Error", "message": "last"}
    assert ran.end_ms == starts[-1] * S


def test_the_table_of_delays_when_every_attempt_times_out() -> None:
    """R-TO-1, R-TO-2, R-RT-2: the delay starts after the timeout."""

    def flow(_: Any) -> Any:
        yield step("slow", after(100_000 * S))

    ran = run(flow)
    assert ran.calls("slow") == [each * S for each in (0, 610, 1230, 1870, 2550, 3310)]
    assert ran.end_ms == 3910 * S
    assert ran.error["name"] == "WorkflowTimeoutError"
    assert ran.error["message"] == "Execution timed out after 600000ms"


def test_k_10_attempts_are_numbered_and_the_third_succeeds() -> None:
    seen: list[int] = []

    def flaky(context: Any) -> Any:
        seen.append(context["attempt"])
        if context["attempt"] < 3:
            raise Failed("Error", "not yet")
        return "v"

    def flow(_: Any) -> Any:
        return (yield step("flaky", flaky, retries(5, 1000, "constant")))

    ran = run(flow)
    assert ran.output == "v"
    assert sorted(set(seen)) == [1, 2, 3]
    assert ran.numbers("flaky") == [(1, 1), (1, 2), (1, 3)]
    assert ran.end_ms == 2 * S


def test_k_14_a_callback_that_timed_out_goes_on_and_writes_after_the_end() -> None:
    """R-TO-3, R-TO-4, F-DO-12."""

    def slow(context: Any) -> Any:
        yield timer(3 * S)
        yield write("w")

    def flow(_: Any) -> Any:
        config = {**retries(1, 0), "timeout": "1 second"}
        yield step("slow", slow, config)

    ran = run(flow)
    assert ran.calls("slow") == [0, 1 * S]
    assert ran.end_ms == 2 * S
    assert ran.error["name"] == "WorkflowTimeoutError"
    assert ran.writes == [(3 * S, "w"), (4 * S, "w")]


def test_k_15_the_late_result_of_a_timed_out_attempt_is_ignored() -> None:
    """R-TO-3: its write at 3 s still happens."""

    def slow(context: Any) -> Any:
        if context["attempt"] == 1:
            yield timer(3 * S)
            yield write("w")
            return "late"
        return "ok"

    def flow(_: Any) -> Any:
        return (yield step("slow", slow, {**retries(1, 0), "timeout": 1000}))

    ran = run(flow)
    assert (ran.output, ran.end_ms) == ("ok", 1 * S)
    assert ran.writes == [(3 * S, "w")]


def test_k_16_steps_of_one_name_are_told_apart_by_their_count() -> None:
    """R-ID-1, R-DO-2."""

    def flow(_: Any) -> Any:
        seen: list[int] = []
        for index in range(3):
            seen += [(yield step("n", gives(index)))]
        yield sleep("long", "1 hour")
        return seen

    ran = run(flow)
    assert ran.output == [0, 1, 2]
    assert ran.numbers("n") == [(1, 1), (2, 1), (3, 1)]
    assert len(ran.lifetimes) == 2


def test_k_17_parallel_steps_take_as_long_as_the_longest() -> None:
    """R-PAR-1."""

    def flow(_: Any) -> Any:
        return (yield together(*(step(name, after(300, "", name)) for name in "abc")))

    ran = run(flow)
    assert ran.output == ["a", "b", "c"]
    assert ran.end_ms == 300
    assert [ran.calls(name) for name in "abc"] == [[0], [0], [0]]


def test_k_18_a_failed_sibling_does_not_cancel_the_others() -> None:
    """R-PAR-1, R-RUN-2."""

    def flow(_: Any) -> Any:
        yield together(step("b", fails("b"), retries(0, 0)), step("c", after(500, "w")))

    ran = run(flow)
    assert (ran.error["message"], ran.end_ms) == ("b", 0)
    assert ran.writes == [(500, "w")]


def test_k_19_an_outer_retry_runs_the_inner_step_under_a_new_count() -> None:
    """R-ID-6, R-NEST-1, R-NEST-2."""

    def outer(context: Any) -> Any:
        inner = yield step("inner", lambda ctx: f"inner {ctx['step']['count']}")
        if context["attempt"] == 1:
            raise Failed("Error", "once")
        return inner

    def flow(_: Any) -> Any:
        return (yield step("outer", outer, retries(1, 0)))

    ran = run(flow)
    assert ran.numbers("inner") == [(1, 1), (2, 1)]
    assert ran.numbers("outer") == [(1, 1), (1, 2)]
    assert ran.output == "inner 2"


@pytest.mark.parametrize(
    ("name", "is_accepted"),
    [("n" * 256, True), ("n" * 257, False), ("", True), ("a\x1fb", False), ("tab\there", False)],
)
def test_k_20_names_are_limited(name: str, *, is_accepted: bool) -> None:
    def flow(_: Any) -> Any:
        try:
            yield step(name, gives(1))
        except Failed as failed:
            return failed.name
        return "accepted"

    ran = run(flow)
    assert ran.output == ("accepted" if is_accepted else "WorkflowFatalError")
    assert len(ran.calls(name)) == is_accepted


@pytest.mark.parametrize(
    "config",
    [
        {"retries": {"limit": 1}},
        {"retries": {"delay": 1}},
        {"retries": {"limit": -1, "delay": 1}},
        {"retries": {"limit": 1, "delay": -1}},
        {"retries": {"limit": 1, "delay": "soon"}},
        {"retries": {"limit": 1, "delay": 1, "backoff": "random"}},
        {"retries": {"limit": 1, "delay": 1, "more": 1}},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": "never"},
        {"sensitive": True},
        {"unknown": 1},
        "text",
        [],
    ],
)
def test_an_invalid_config_is_refused_and_can_be_caught(config: Any) -> None:
    """Section 1.5."""

    def flow(_: Any) -> Any:
        try:
            yield step("s", gives(1), config)
        except Failed as failed:
            return failed.name

    ran = run(flow)
    assert ran.output == "WorkflowFatalError"
    assert ran.calls("s") == []


def test_a_step_without_a_callback_is_refused() -> None:
    """Section 1.5."""

    def flow(_: Any) -> Any:
        try:
            yield step("s", None)
        except Failed as failed:
            return failed.name

    assert run(flow).output == "WorkflowFatalError"


def test_k_21_the_limit_of_steps_counts_calls_and_refuses_every_further_one() -> None:
    """R-LIM-1."""

    def flow(_: Any) -> Any:
        refused = 0
        for number in range(5):
            try:
                yield step(f"s{number}", gives(1))
            except Failed as failed:
                refused += failed.name == "WorkflowFatalError"
        return refused

    ran = run(flow, engine=Engine(steps_max={"FLOW": 3}))
    assert ran.output == 2
    assert [len(ran.calls(f"s{number}")) for number in range(5)] == [1, 1, 1, 0, 0]


def test_k_21_uncaught_it_ends_the_instance() -> None:
    def flow(_: Any) -> Any:
        for number in range(4):
            yield step(f"s{number}", gives(1))

    assert run(flow, engine=Engine(steps_max={"FLOW": 3})).error["name"] == "WorkflowFatalError"
    assert PROD.steps_max == 10_000


def test_r_lim_1_the_counter_starts_again_in_each_lifetime() -> None:
    def flow(_: Any) -> Any:
        yield step("a", gives(1))
        yield sleep("long", "1 hour")
        yield step("b", gives(1))
        return "ok"

    assert run(flow, engine=Engine(steps_max={"FLOW": 2})).output == "ok"
    assert run(flow, engine=Engine(steps_max={"FLOW": 1})).error["name"] == "WorkflowFatalError"


def test_k_22_a_dangling_step_is_begun_and_its_callback_goes_on_after_the_end() -> None:
    """R-RUN-1, F-RUN-9."""

    def flow(_: Any) -> Any:
        yield leave(step("dangling", after(400, "w")))
        return "done"

    ran = run(flow)
    assert (ran.output, ran.end_ms) == ("done", 0)
    assert ran.calls("dangling") == [0]
    assert ran.writes == [(400, "w")]


def test_a_call_that_a_callback_left_alone_still_happens() -> None:
    """R-TO-4: also when its step is over, and when it was tried again."""

    def callback(context: Any) -> Any:
        yield leave(write(f"left {context['attempt']}"))
        if context["attempt"] == 1:
            raise Failed("Error", "once")

    def flow(_: Any) -> Any:
        yield step("s", callback, retries(1, 1_000))

    assert sorted(mark for _, mark in run(flow).writes) == ["left 1", "left 2"]


def test_r_run_1_a_dangling_step_that_fails_changes_nothing() -> None:
    def flow(_: Any) -> Any:
        yield leave(step("dangling", fails(), retries(0, 0)))
        return "done"

    assert run(flow).output == "done"


@pytest.mark.parametrize(("size", "calls"), [(2**20 - 2, 1), (2**20 - 1, 3)])
def test_k_24_a_result_that_is_too_large_is_a_failure_like_any_other(size: int, calls: int) -> None:
    """R-RES-4: the size is that of the encoded form, quotes included."""

    def flow(_: Any) -> Any:
        try:
            yield step("big", gives("x" * size), retries(2, 0))
        except Failed as failed:
            return failed.name
        return "stored"

    ran = run(flow)
    assert ran.output == ("stored" if calls == 1 else "WorkflowInternalError")
    assert len(ran.calls("big")) == calls


def test_k_25_a_non_retryable_error_ends_step_and_instance_at_once() -> None:
    """R-NR-1, R-NR-2."""

    def flow(_: Any) -> Any:
        yield step("bad", _non_retryable)

    ran = run(flow)
    assert ran.error == {"name": "NonRetryableError", "message": "m"}
    assert (ran.calls("bad"), ran.end_ms) == ([0], 0)


_non_retryable = fails("m", "NonRetryableError")


def test_r_nr_2_its_message_is_hidden_without_the_flag() -> None:
    def flow(_: Any) -> Any:
        yield step("bad", _non_retryable)

    ran = run(flow, engine=Engine(non_retryable_message_kept=False))
    assert ran.error["name"] == "WorkflowFatalError"
    assert ran.error["message"] != "m"


def test_r_nr_2_siblings_are_cut_off() -> None:
    def flow(_: Any) -> Any:
        yield together(step("bad", _non_retryable), step("c", after(500, "w")))

    ran = run(flow)
    assert ran.error["name"] == "NonRetryableError"
    assert ran.writes == []


def test_r_nr_4_thrown_from_run_itself_it_ends_the_instance() -> None:
    def flow(_: Any) -> Any:
        yield from ()
        raise Failed("NonRetryableError", "m")

    assert run(flow).error == {"name": "NonRetryableError", "message": "m"}


def test_k_26_a_caught_one_lets_the_workflow_go_on() -> None:
    def flow(_: Any) -> Any:
        caught = ""
        try:
            yield step("bad", _non_retryable)
        except Failed as failed:
            caught = failed.name
        return [caught, (yield step("next", gives(2)))]

    ran = run(flow)
    assert ran.output == ["NonRetryableError", 2]
    assert (ran.calls("bad"), ran.calls("next")) == ([0], [0])


@pytest.mark.parametrize(
    ("name", "message", "calls"),
    [
        pytest.param("Custom", "m", 3, id="K-27"),
        ("NonRetryableError", "m", 1),
        ("Error", "NonRetryableError: m", 1),
        ("Error", "NonRetryableErrors too", 1),
        ("Error", "a NonRetryableError", 3),
        ("NonRetryableErrors", "m", 3),
    ],
)
def test_r_err_1_what_counts_as_non_retryable(name: str, message: str, calls: int) -> None:
    def bad(context: Any) -> Any:
        raise Failed(name, message)

    def flow(_: Any) -> Any:
        yield step("bad", bad, retries(2, 0))

    assert len(run(flow).calls("bad")) == calls


def _sleeping_after_a_failure(bad: Any, config: Any) -> Any:
    def flow(_: Any) -> Any:
        caught = ""
        try:
            yield step("bad", bad, config)
        except Failed as failed:
            caught = f"{failed.name}: {failed.message}"
        yield sleep("long", "10 minutes")
        return caught

    return flow


def test_k_28_a_non_retryable_failure_is_not_cached() -> None:
    """R-NR-3, F-DO-11: on replay the callback runs again."""
    flow = _sleeping_after_a_failure(_non_retryable, None)
    ran = run(flow)
    assert ran.numbers("bad") == [(1, 1), (1, 2)]
    assert ran.output == "NonRetryableError: m"


def test_k_28_with_the_switch_it_is_cached() -> None:
    engine = Engine(profile=replace(PROD, non_retryable_is_cached=True))
    ran = run(_sleeping_after_a_failure(_non_retryable, None), engine=engine)
    assert ran.numbers("bad") == [(1, 1)]
    assert ran.output == "NonRetryableError: m"


def test_k_29_an_exhausted_error_is_cached() -> None:
    """R-DO-4: the same error is thrown again without calling the callback."""
    ran = run(_sleeping_after_a_failure(fails("same"), retries(0, 0)))
    assert len(ran.calls("bad")) == 1
    assert len(ran.lifetimes) == 2
    assert ran.output == "Error: same"


def _raising_custom(context: Any) -> Any:
    raise Failed("CustomError", "m", {"code": 7})


def test_k_30_errors_keep_name_and_properties_when_enhanced() -> None:
    """R-ERR-2."""

    def flow(_: Any) -> Any:
        try:
            yield step("bad", _raising_custom, retries(0, 0))
        except Failed as failed:
            return [failed.name, failed.message, failed.properties]

    assert run(flow).output == ["CustomError", "m", {"code": 7}]
    legacy = run(flow, engine=Engine(errors_are_enhanced=False))
    assert legacy.output == ["Error", "CustomError: m", {}]


def test_r_do_6_steps_of_one_instance_do_not_block_each_other() -> None:
    def flow(_: Any) -> Any:
        yield together(*(step(f"s{number}", after(10)) for number in range(12)))

    ran = run(flow)
    assert ran.end_ms == 10
    assert all(ran.calls(f"s{number}") == [0] for number in range(12))


def test_r_to_6_after_a_crash_the_attempt_gets_a_full_timeout() -> None:
    def flow(_: Any) -> Any:
        yield step("slow", after(60 * S), {**retries(0, 0), "timeout": "100 seconds"})

    ran = run(flow, None, Outage(at_ms=50 * S, until_ms=55 * S))
    assert ran.status()["status"] == "complete"
    assert ran.end_ms == 115 * S


def test_r_nest_1_an_inner_step_goes_on_as_part_of_the_zombie() -> None:
    """R-NEST-1: and what the zombie does after it still happens."""

    def outer(context: Any) -> Any:
        yield step("inner", after(3 * S))
        yield write("after the inner step")

    def flow(_: Any) -> Any:
        caught = ""
        try:
            yield step("outer", outer, {**retries(0, 0), "timeout": 1000})
        except Failed as failed:
            caught = failed.name
        yield sleep("a while", "100 seconds")
        return caught

    ran = run(flow)
    assert ran.output == "WorkflowTimeoutError"
    assert ran.writes == [(3 * S, "after the inner step")]


def test_r_nest_1_a_zombie_that_outlives_its_instance_may_call_steps() -> None:
    """Steps called after the end are silent; nothing breaks."""

    def outer(context: Any) -> Any:
        yield timer(3 * S)
        yield step("inner", gives(1))
        yield write("never")

    def flow(_: Any) -> Any:
        yield leave(step("outer", outer))
        return "done"

    ran = run(flow)
    assert ran.output == "done"
    assert ran.calls("inner") == []
    assert ran.writes == []


def test_r_run_3_code_outside_steps_runs_again_in_every_lifetime() -> None:
    def flow(_: Any) -> Any:
        yield write("outside")
        yield step("a", gives(1))
        yield sleep("one", "1 hour")
        yield sleep("two", "1 hour")
        return "ok"

    ran = run(flow)
    assert [at for at, _ in ran.writes] == ran.lifetimes == [0, 3600 * S, 7200 * S]


def test_r_par_2_a_race_of_steps_is_decided_again_after_replay() -> None:
    """K-52, F-RUN-3."""

    def flow(_: Any) -> Any:
        picked = yield race(step("p1", after(300, "", "p1")), step("p2", after(0, "", "p2")))
        yield step(f"picked {picked}", gives(None))
        yield sleep("long", "10 minutes")
        return picked

    ran = run(flow)
    assert ran.calls("picked p2") == [0]
    assert ran.output == "p1"


def test_a_wait_inside_a_callback_is_an_ordinary_wait() -> None:
    """R-NEST-1."""

    def outer(context: Any) -> Any:
        got = yield wait("inside", type="t", timeout="5 seconds")
        return got["payload"]

    def flow(_: Any) -> Any:
        return (yield step("outer", outer, retries(0, 0)))

    ran = run(flow, scenario_of(request(create()), request(event(4), at=2 * S)))
    assert ran.output == 4
