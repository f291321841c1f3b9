"""Fault points of steps, of code between them, and of sleeps (4.2): what each leaves behind."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Attempt
from tests.rules.programs import Program

pytestmark = pytest.mark.host

TwoWrites = Program(
    "TwoWrites",
    ts="""
        const retries = { limit: 1, delay: "10 seconds" };
        try {
          await step.do("a", { retries, timeout: "5 seconds" }, async () => {
            await write("one");
            await write("two");
          });
        } catch (error) {
          await write(`caught ${error.name}`);
        }
    """,
    py="""
        retries = {"limit": 1, "delay": "10 seconds"}

        @step.do("a", config={"retries": retries, "timeout": "5 seconds"})
        async def a():
            await write("one")
            await write("two")
        try:
            await a()
        except Exception as error:
            await write(f"caught {error.name}")
    """,
)


def test_f_do_4_crash_after_some_effects(play: Start) -> None:
    """F-DO-4."""
    run = play(TwoWrites).strike("crash_after", "Fetch:log POST").finish()
    assert run.attempts == [Attempt("a", 1, 1, 0), Attempt("a", 1, 2, 0)]
    assert [text for _, text in run.writes] == ["one", "one", "two"]


def test_f_do_14_an_answer_is_lost(play: Start) -> None:
    """F-DO-14: an ordinary failure, so the effect is repeated after the delay."""
    run = play(TwoWrites).strike("answer_lost", "Fetch:log POST", nth=2).finish()
    assert run.writes == [(0, "one"), (0, "two"), (10_000, "one"), (10_000, "two")]


def test_f_do_15_a_request_is_lost(play: Start) -> None:
    """F-DO-15."""
    run = play(TwoWrites).strike("request_lost", "Fetch:log POST", nth=2).finish()
    assert run.writes == [(0, "one"), (10_000, "one"), (10_000, "two")]


def test_f_do_16_the_result_is_not_stored(play: Start) -> None:
    """F-DO-16: retried after the delay although the effects are done."""
    run = play(TwoWrites).strike("store_failed", "step_result").finish()
    assert run.writes == [(0, "one"), (0, "two"), (10_000, "one"), (10_000, "two")]
    assert run.status == "complete"


def test_f_do_12_an_answer_comes_after_the_timeout(play: Start) -> None:
    """F-DO-12, R-TO-3: the next attempt begins while the callback goes on."""
    run = play(TwoWrites).strike("answer_late", "Fetch:log POST")
    run.until(5_000, settles=False).choose("Expire").finish()
    assert run.times("a") == [0, 15_000]
    assert run.writes[0] == (0, "one")
    assert sorted(text for _, text in run.writes) == ["one", "one", "two", "two"]


def test_f_do_13_a_call_of_a_dead_attempt_lands_later(play: Start) -> None:
    """F-DO-13."""
    run = play(TwoWrites).strike("crash_in_flight", "Fetch:log POST")
    assert run.writes == []
    run.finish()
    assert sorted(text for _, text in run.writes) == ["one", "one", "two"]
    assert [each.text for each in run.records if each.kind.value == "landed"] == ["Fetch:log POST"]


Config = Program(
    "Config",
    ts="""
        await write("outside");
        const isLater = Date.now() - event.timestamp.getTime() > 4000;
        const retries = isLater ? { limit: 2, delay: 10 } : { limit: 0, delay: 0 };
        await step.do("a", { retries }, async () => { throw new Error("no"); });
    """,
    py="""
        await write("outside")
        is_later = datetime.now() - event["timestamp"] > timedelta(seconds=4)
        retries = {"limit": 2, "delay": 10} if is_later else {"limit": 0, "delay": 0}

        @step.do("a", config={"retries": retries})
        async def a():
            raise Exception("no")
        await a()
    """,
)


def test_f_do_1_crash_before_anything_of_the_step_is_stored(play: Start) -> None:
    """F-DO-1, F-RUN-6: the next lifetime begins the step anew, with its own config."""
    run = play(Config, down_ms=5_000).strike("crash_after", "Fetch:log POST").finish()
    assert [each.number for each in run.attempts] == [1, 2, 3]
    assert run.writes == [(0, "outside"), (5_000, "outside")]


Caught = Program(
    "Caught",
    ts="""
        try {
          await step.do("a", { retries: { limit: 0, delay: 0 } }, async () => {
            throw new Error("no");
          });
        } catch {
          await write("caught");
        }
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a():
            raise Exception("no")
        try:
            await a()
        except Exception:
            await write("caught")
    """,
)


def test_f_do_10_crash_before_run_sees_the_stored_error(play: Start) -> None:
    """F-DO-10, R-DO-4."""
    run = play(Caught).strike("crash_before", "Fetch:log POST").finish()
    assert (run.calls("a"), run.lifetimes) == (1, 2)
    assert run.writes == [(0, "caught")]


Branches = Program(
    "Branches",
    ts="""
        const part = (name, ms) => step.do(name, async () => { await pause(ms); await write(name); });
        const later = async () => { await part("first", 300); await part("late", 0); };
        await Promise.all([part("fast", 100), part("slow", 600), later()]);
    """,
    py="""
        def part(name, ms):
            @step.do(name)
            async def one():
                await pause(ms)
                await write(name)
            return one()

        async def later():
            await part("first", 300)
            await part("late", 0)
        await asyncio.gather(part("fast", 100), part("slow", 600), later())
    """,
)


def test_f_run_2_crash_with_several_steps_under_way(play: Start) -> None:
    """F-RUN-2, R-PAR-1: what is done stays done; the rest begins its next attempt."""
    run = play(Branches).until(200).strike("crash_idle").finish()
    assert run.attempts == [
        Attempt("fast", 1, 1, 0),
        Attempt("slow", 1, 1, 0),
        Attempt("first", 1, 1, 0),
        Attempt("slow", 1, 2, 200),
        Attempt("first", 1, 2, 200),
        Attempt("late", 1, 1, 500),
    ]
    assert run.writes == [(100, "fast"), (500, "first"), (500, "late"), (800, "slow")]


def test_f_do_20_a_pause_is_pending_when_an_attempt_would_start(play: Start) -> None:
    """F-DO-20, R-LC-2."""
    run = play(Branches).until(200)
    run.call("pause")
    run.until(500)
    assert (run.status, run.calls("late")) == ("waitingForPause", 0)
    run.until(1_000)
    assert (run.status, run.calls("late")) == ("paused", 0)
    run.call("resume")
    run.finish()
    assert run.status == "complete"
    assert run.writes == [(100, "fast"), (300, "first"), (600, "slow"), (1_000, "late")]


Lottery = Program(
    "Lottery",
    ts="""
        const name = "step " + Math.random();
        await step.do(name, async () => { await write("done"); });
        await step.sleep("long", "1 hour");
    """,
    py="""
        import random
        name = f"step {random.random()}"

        @step.do(name)
        async def a():
            await write("done")
        await a()
        await step.sleep("long", "1 hour")
    """,
)


@pytest.mark.languages_differ("the two languages draw different random numbers")
def test_f_run_4_names_that_chance_decides(play: Start) -> None:
    """F-RUN-4, R-ID-5: a step that is called something else is another step; it is pointed out."""
    run = play(Lottery).finish()
    assert [text for _, text in run.writes] == ["done", "done"]
    assert len({each.step for each in run.attempts}) == 2
    assert "F-RUN-4" in {each.rule for each in run.diagnostics}


def test_f_st_1_crash_before_run_starts(play: Start) -> None:
    """F-ST-1 is no other world than a crash before the first effect: nothing was done."""
    run = play(TwoWrites, down_ms=2_000).strike("crash_before", "step_start").finish()
    assert run.attempts == [Attempt("a", 1, 1, 2_000)]
    assert [text for _, text in run.writes] == ["one", "two"]


Nap = Program(
    "Nap",
    ts="""
        await step.sleep("s", event.payload);
        await write("awake");
    """,
    py="""
        await step.sleep("s", event["payload"])
        await write("awake")
    """,
)


def test_f_sl_4_crash_when_the_timer_has_fired(play: Start) -> None:
    """F-SL-4."""
    run = play(Nap, params=100_000).until(100_000, settles=False).strike("crash_idle").finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert run.writes == [(100_000, "awake")]


def test_f_sl_5_a_timer_is_late(play: Start) -> None:
    """F-SL-3, F-SL-5: late, never early."""
    run = play(Nap, params=3_600_000).strike("timer_late").finish()
    assert run.writes == [(3_660_000, "awake")]


def test_f_sl_6_a_timer_cannot_fire_twice(play: Start) -> None:
    """F-SL-6: once a sleep is over, no choice of any world ends it again."""
    run = play(Nap, params=1_000).strike("crash_before", "Fetch:log POST").finish()
    assert run.writes == [(1_000, "awake")]
    assert [each.text for each in run.notes("sleep s")] == [
        "sleep s",
        "sleep s over",
        "sleep s replayed",
    ]
