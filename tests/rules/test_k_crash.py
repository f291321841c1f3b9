"""Conformance cases K-46 to K-53: crashes at chosen points."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Attempt
from tests.rules.programs import Program

pytestmark = pytest.mark.host

K46 = Program(
    "K46",
    ts="""
        return await step.do("a", { retries: { limit: 0, delay: 0 } }, async () => {
          await write("a");
          return "done";
        });
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a():
            await write("a")
            return "done"
        return await a()
    """,
)


def test_k46_crash_before_the_first_effect_of_an_attempt(play: Start) -> None:
    """R-RT-4, R-RT-5, F-DO-3."""
    run = play(K46).strike("crash_after", "step_start").finish()
    assert run.attempts == [Attempt("a", 1, 1, 0), Attempt("a", 1, 2, 0)]
    assert run.writes == [(0, "a")]
    assert (run.status, run.output, run.lifetimes) == ("complete", "done", 2)


def test_k47_crash_before_the_result_is_stored(play: Start) -> None:
    """R-DO-1, R-RT-4, F-DO-5."""
    run = play(K46).strike("crash_after", "step_result").finish()
    assert [each.number for each in run.attempts] == [1, 2]
    assert run.writes == [(0, "a"), (0, "a")]
    assert (run.status, run.output) == ("complete", "done")


def test_k48_crash_after_the_result_is_stored(play: Start) -> None:
    """R-DO-1, R-DO-2, F-DO-6, F-RUN-7."""
    run = play(K46).strike("crash_after", "run_result").finish()
    assert run.calls("a") == 1
    assert run.writes == [(0, "a")]
    assert (run.status, run.output, run.lifetimes) == ("complete", "done", 2)


K48 = Program(
    "K48",
    ts="""
        await step.do("a", async () => { await write("a"); });
        await write("outside");
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")
        await a()
        await write("outside")
    """,
)


def test_k48_crash_before_the_code_after_the_step(play: Start) -> None:
    """R-DO-2, F-DO-6, F-RUN-1."""
    run = play(K48).strike("crash_before", "Fetch:log POST", nth=2).finish()
    assert run.calls("a") == 1
    assert run.writes == [(0, "a"), (0, "outside")]
    assert (run.status, run.lifetimes) == ("complete", 2)


K49 = Program(
    "K49",
    ts="""
        return await step.do("a", { retries: { limit: 0, delay: 0 } }, async (ctx) => {
          if (ctx.attempt === 1) throw new Error("first");
          return "second";
        });
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a(ctx):
            if ctx["attempt"] == 1:
                raise Exception("first")
            return "second"
        return await a()
    """,
)


def test_k49_one_attempt_more_than_the_limit(play: Start) -> None:
    """R-RT-4, F-DO-7, F-DO-9."""
    run = play(K49).strike("crash_after", "step_result").finish()
    assert [each.number for each in run.attempts] == [1, 2]
    assert (run.status, run.output) == ("complete", "second")


K50 = Program(
    "K50",
    ts="""
        const config = { retries: { limit: 1, delay: "10 seconds", backoff: "constant" } };
        return await step.do("a", config, async (ctx) => {
          if (ctx.attempt === 1) throw new Error("first");
          return "second";
        });
    """,
    py="""
        config = {"retries": {"limit": 1, "delay": "10 seconds", "backoff": "constant"}}

        @step.do("a", config=config)
        async def a(ctx):
            if ctx["attempt"] == 1:
                raise Exception("first")
            return "second"
        return await a()
    """,
)


def test_k50_a_crash_does_not_make_a_retry_delay_longer(play: Start) -> None:
    """R-RT-5, F-DO-8."""
    run = play(K50, down_ms=2_000).until(4_000).strike("crash_idle").finish()
    assert run.times("a") == [0, 10_000]
    assert (run.status, run.output) == ("complete", "second")


def test_k51_an_overdue_retry_starts_at_recovery(play: Start) -> None:
    """R-RT-5, F-DO-8."""
    run = play(K50, down_ms=11_000).until(4_000).strike("crash_idle").finish()
    assert run.times("a") == [0, 15_000]
    assert (run.status, run.output) == ("complete", "second")


K52 = Program(
    "K52",
    ts="""
        const slow = step.do("p1", async () => { await pause(300); return "p1"; });
        const fast = step.do("p2", async () => "p2");
        const winner = await Promise.race([slow, fast]);
        await write(winner);
        await step.sleep("long", "10 minutes");
        return winner;
    """,
    py="""
        @step.do("p1")
        async def p1():
            await pause(300)
            return "p1"

        @step.do("p2")
        async def p2():
            return "p2"
        racers = [asyncio.ensure_future(each()) for each in (p1, p2)]
        await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
        winner = next(each.result() for each in racers if each.done())
        await write(winner)
        await step.sleep("long", "10 minutes")
        return winner
    """,
)


def test_k52_a_race_is_decided_anew_by_replay(play: Start) -> None:
    """R-PAR-2, R-PAR-3, F-RUN-3."""
    run = play(K52).finish()
    assert run.writes == [(0, "p2"), (600_000, "p1")]
    assert (run.status, run.output, run.lifetimes) == ("complete", "p1", 2)
    assert [each.step for each in run.attempts] == ["p1", "p2"]


K53 = Program(
    "K53",
    ts="""
        const isLater = Date.now() - event.timestamp.getTime() > 4000;
        const retries = isLater ? { limit: 5, delay: 10 } : { limit: 1, delay: "1 second" };
        await step.do("a", { retries }, async () => { throw new Error("no"); });
    """,
    py="""
        is_later = datetime.now() - event["timestamp"] > timedelta(seconds=4)
        retries = {"limit": 5, "delay": 10} if is_later else {"limit": 1, "delay": "1 second"}

        @step.do("a", config={"retries": retries})
        async def a():
            raise Exception("no")
        await a()
    """,
)


def test_k53_the_stored_config_wins(play: Start) -> None:
    """[P1] of section 2.2: the code's new config is ignored. F-DO-2."""
    run = play(K53, down_ms=5_000).strike("crash_before", "step_start").finish()
    assert run.attempts == [Attempt("a", 1, 1, 5_000), Attempt("a", 1, 2, 6_000)]
    assert run.failed("Error", "no")


def test_k53_also_between_two_attempts(play: Start) -> None:
    run = play(K53, down_ms=5_000).until(500).strike("crash_idle").finish()
    assert run.attempts == [Attempt("a", 1, 1, 0), Attempt("a", 1, 2, 5_500)]
    assert run.failed("Error", "no")
