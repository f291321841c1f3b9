"""Conformance cases K-01 to K-15: steps, retries, delays, timeouts."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Attempt
from tests.rules.programs import Program

pytestmark = pytest.mark.host

NO_FUNCTIONS = "the Python SDK cannot pass a function as a delay"

K01 = Program(
    "K01",
    ts="""
        const a = await step.do("a", async () => { await write("a"); return 1; });
        return { a };
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")
            return 1
        return {"a": await a()}
    """,
)


def test_k01_one_step(play: Start) -> None:
    run = play(K01).finish()
    assert (run.status, run.output) == ("complete", {"a": 1})
    assert (run.calls("a"), run.ended_ms) == (1, 0)
    assert run.writes == [(0, "a")]


K02 = Program(
    "K02",
    ts="""
        const nothing = await step.do("a", async () => { await write("a"); });
        await step.sleep("long", "10 minutes");
        return nothing === undefined;
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")
        nothing = await a()
        await step.sleep("long", "10 minutes")
        return nothing is None
    """,
)


def test_k02_a_step_may_return_nothing_and_replays_so(play: Start) -> None:
    """R-RES-1, R-DO-2."""
    run = play(K02).finish()
    assert (run.status, run.output, run.lifetimes) == ("complete", True, 2)
    assert run.writes == [(0, "a")]
    assert run.calls("a") == 1


K03 = Program(
    "K03",
    ts="""
        await step.do("a", async (ctx) => { throw new Error("E" + ctx.attempt); });
    """,
    py="""
        @step.do("a")
        async def a(ctx):
            raise Exception(f"E{ctx['attempt']}")
        await a()
    """,
)


@pytest.mark.parametrize(
    ("profile", "times", "end"),
    [
        ("prod", [0, 10_000, 30_000, 70_000, 150_000, 310_000], 310_000),
        ("local-2026-08", [0, 1_000, 3_000, 7_000, 15_000, 31_000], 31_000),
        ("local-2026-11", [0, 1_000, 3_000, 7_000, 15_000, 31_000], 31_000),
    ],
)
def test_k03_default_config(play: Start, profile: str, times: list[int], end: int) -> None:
    """R-RT-1, R-RT-2, R-RUN-2, DIFF-03."""
    run = play(K03, profile=profile).finish()
    assert run.times("a") == times
    assert run.failed("Error", "E6")
    assert run.ended_ms == end


def _failing(name: str, config: str, py_config: str) -> Program:
    return Program(
        name,
        ts=f"""
            await step.do("a", {config}, async () => {{ throw new Error("no"); }});
        """,
        py=f"""
            @step.do("a", config={py_config})
            async def a():
                raise Exception("no")
            await a()
        """,
    )


K04 = _failing(
    "K04",
    '{ retries: { limit: 2, delay: "5 seconds", backoff: "constant" } }',
    '{"retries": {"limit": 2, "delay": "5 seconds", "backoff": "constant"}}',
)
K05 = _failing(
    "K05",
    '{ retries: { limit: 3, delay: 2000, backoff: "linear" } }',
    '{"retries": {"limit": 3, "delay": 2000, "backoff": "linear"}}',
)
K06 = _failing(
    "K06",
    '{ retries: { limit: 3, delay: "2 seconds", backoff: "exponential" } }',
    '{"retries": {"limit": 3, "delay": "2 seconds", "backoff": "exponential"}}',
)
K07 = _failing(
    "K07",
    '{ retries: { limit: 2, delay: "1 second" } }',
    '{"retries": {"limit": 2, "delay": "1 second"}}',
)
K08 = _failing(
    "K08",
    '{ retries: { limit: 2, delay: "1 second", backoff: undefined } }',
    '{"retries": {"limit": 2, "delay": "1 second", "backoff": None}}',
)
K09 = _failing(
    "K09", "{ retries: { limit: 0, delay: 0 } }", '{"retries": {"limit": 0, "delay": 0}}'
)


def _fails_at(play: Start, program: Program, *times: int) -> None:
    run = play(program).finish()
    assert run.times("a") == list(times)
    assert run.failed("Error", "no")
    assert run.ended_ms == times[-1]


def test_k04_constant_backoff(play: Start) -> None:
    """R-RT-1, R-RT-2."""
    _fails_at(play, K04, 0, 5_000, 10_000)


def test_k05_linear_backoff(play: Start) -> None:
    """R-RT-2."""
    _fails_at(play, K05, 0, 2_000, 6_000, 12_000)


def test_k06_exponential_backoff(play: Start) -> None:
    """R-RT-2."""
    _fails_at(play, K06, 0, 2_000, 6_000, 14_000)


def test_k07_backoff_left_out_is_exponential(play: Start) -> None:
    """R-RT-3."""
    _fails_at(play, K07, 0, 1_000, 3_000)


def test_k08_backoff_undefined_is_constant(play: Start) -> None:
    """R-RT-3."""
    _fails_at(play, K08, 0, 1_000, 2_000)


def test_k09_no_retries(play: Start) -> None:
    """R-RT-1."""
    _fails_at(play, K09, 0)


K10 = Program(
    "K10",
    ts="""
        const config = { retries: { limit: 5, delay: "1 second", backoff: "constant" } };
        return await step.do("a", config, async (ctx) => {
          await write("attempt " + ctx.attempt);
          if (ctx.attempt < 3) throw new Error("not yet");
          return "v";
        });
    """,
    py="""
        config = {"retries": {"limit": 5, "delay": "1 second", "backoff": "constant"}}

        @step.do("a", config=config)
        async def a(ctx):
            await write(f"attempt {ctx['attempt']}")
            if ctx["attempt"] < 3:
                raise Exception("not yet")
            return "v"
        return await a()
    """,
)


def test_k10_the_third_attempt_succeeds(play: Start) -> None:
    """R-RT-1; attempts are numbered from 1 (1.5)."""
    run = play(K10).finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", "v", 2_000)
    assert run.writes == [(0, "attempt 1"), (1_000, "attempt 2"), (2_000, "attempt 3")]


K11 = Program(
    "K11",
    ts="""
        const delay = async ({ ctx, error }) => {
          const shown = JSON.stringify(ctx.config.retries);
          await write("delay " + ctx.attempt + " " + error.message + " " + shown);
          return "10 seconds";
        };
        await step.do("a", { retries: { limit: 2, delay } }, async () => { throw new Error("no"); });
    """,
)


@pytest.mark.node_only(NO_FUNCTIONS)
def test_k11_a_delay_function_is_multiplied_by_the_backoff(play: Start) -> None:
    """R-DLY-1, R-DLY-2."""
    run = play(K11).finish()
    assert run.times("a") == [0, 10_000, 30_000]
    assert run.writes == [
        (0, 'delay 1 no {"limit":2,"backoff":"exponential"}'),
        (10_000, 'delay 2 no {"limit":2,"backoff":"exponential"}'),
    ]
    assert run.failed("Error", "no")
    assert run.ended_ms == 30_000


K12 = Program(
    "K12",
    ts="""
        const delay = () => { throw new Error("broken"); };
        await step.do("a", { retries: { limit: 2, delay } }, async () => { throw new Error("no"); });
    """,
)


@pytest.mark.node_only(NO_FUNCTIONS)
def test_k12_a_delay_function_that_throws_fails_the_step(play: Start) -> None:
    """R-DLY-3."""
    run = play(K12).finish()
    assert run.calls("a") == 1
    assert (run.status, run.error[0], run.ended_ms) == ("errored", "NonRetryableDelayError", 0)


K13 = Program(
    "K13",
    ts="""
        const delay = () => new Promise(() => {});
        await step.do("a", { retries: { limit: 2, delay } }, async () => { throw new Error("no"); });
    """,
)


@pytest.mark.node_only(NO_FUNCTIONS)
def test_k13_a_delay_function_that_never_settles_fails_the_step(play: Start) -> None:
    """R-DLY-3."""
    run = play(K13).finish()
    assert run.calls("a") == 1
    assert (run.status, run.error[0], run.ended_ms) == ("errored", "NonRetryableDelayError", 5_000)


K14 = Program(
    "K14",
    ts="""
        const config = { timeout: "1 second", retries: { limit: 1, delay: 0 } };
        await step.do("a", config, async () => { await pause(3000); await write("w"); });
    """,
    py="""
        config = {"timeout": "1 second", "retries": {"limit": 1, "delay": 0}}

        @step.do("a", config=config)
        async def a():
            await pause(3000)
            await write("w")
        await a()
    """,
)


def test_k14_callbacks_that_ran_out_of_time_go_on(play: Start) -> None:
    """R-TO-1, R-TO-2, R-TO-3, R-TO-4."""
    run = play(K14).finish()
    assert run.times("a") == [0, 1_000]
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 1000ms")
    assert run.ended_ms == 2_000
    assert run.writes == [(3_000, "w"), (4_000, "w")]


K15 = Program(
    "K15",
    ts="""
        const config = { timeout: 1000, retries: { limit: 5, delay: 0 } };
        return await step.do("a", config, async (ctx) => {
          if (ctx.attempt > 1) return "ok";
          await pause(3000);
          await write("late");
          return "too late";
        });
    """,
    py="""
        config = {"timeout": 1000, "retries": {"limit": 5, "delay": 0}}

        @step.do("a", config=config)
        async def a(ctx):
            if ctx["attempt"] > 1:
                return "ok"
            await pause(3000)
            await write("late")
            return "too late"
        return await a()
    """,
)


def test_k15_a_late_result_is_ignored(play: Start) -> None:
    """R-TO-3."""
    run = play(K15).finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", "ok", 1_000)
    assert run.attempts == [Attempt("a", 1, 1, 0), Attempt("a", 1, 2, 1_000)]
    assert run.writes == [(3_000, "late")]
