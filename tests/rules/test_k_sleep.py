"""Conformance cases K-31 to K-36: sleeping."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.programs import Program

pytestmark = pytest.mark.host

K31 = Program(
    "K31",
    ts="""
        await write("outside");
        await step.do("a", async () => { await write("a"); });
        await step.sleep("long", "1 hour");
        await step.do("b", async () => { await write("b"); });
    """,
    py="""
        await write("outside")

        @step.do("a")
        async def a():
            await write("a")

        @step.do("b")
        async def b():
            await write("b")
        await a()
        await step.sleep("long", "1 hour")
        await b()
    """,
)


def test_k31_a_long_sleep_ends_the_lifetime(play: Start) -> None:
    """R-HIB-1, R-HIB-3, R-RUN-3, R-SL-1, R-ST-1."""
    run = play(K31).until(1_800_000)
    assert run.call("status")["status"] == "waiting"
    assert run.lifetimes == 1
    run.finish()
    assert (run.status, run.ended_ms, run.lifetimes) == ("complete", 3_600_000, 2)
    assert run.writes == [
        (0, "outside"),
        (0, "a"),
        (3_600_000, "outside"),
        (3_600_000, "b"),
    ]
    assert [each.step for each in run.attempts] == ["a", "b"]


@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_k31_but_not_locally(play: Start, profile: str) -> None:
    """R-HIB-2, R-HIB-4, DIFF-06, DIFF-17."""
    run = play(K31, profile=profile).until(1_800_000)
    assert run.call("status")["status"] == "running"
    run.finish()
    assert (run.status, run.ended_ms, run.lifetimes) == ("complete", 3_600_000, 1)
    assert run.writes == [(0, "outside"), (0, "a"), (3_600_000, "b")]


K32 = Program(
    "K32",
    ts="""
        try {
          await step.sleepUntil("past", new Date(event.timestamp.getTime() - 1000));
        } catch (error) {
          return error.message.includes("past");
        }
    """,
    py="""
        try:
            await step.sleep_until("past", event["timestamp"] - timedelta(seconds=1))
        except Exception as error:
            return "past" in str(error)
    """,
)


def test_k32_sleeping_until_the_past(play: Start) -> None:
    """R-SL-4."""
    run = play(K32).finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", True, 0)


K33 = Program(
    "K33",
    ts="""
        await step.sleepUntil("until", event.timestamp.getTime() + 400_000);
        await step.sleep("more", "400 second");
        return "done";
    """,
    py="""
        await step.sleep_until("until", event["timestamp"] + timedelta(seconds=400))
        await step.sleep("more", "400 second")
        return "done"
    """,
)


@pytest.mark.languages_differ("sleep_until passes a datetime on as a Date, the twin a number")
def test_k33_sleeping_until_a_moment_is_safe_to_replay(play: Start) -> None:
    """R-SL-5, R-SL-1."""
    run = play(K33).finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", "done", 800_000)
    assert run.lifetimes == 3


@pytest.mark.languages_differ("sleep_until passes a datetime on as a Date, the twin a number")
@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_k33_but_not_locally(play: Start, profile: str) -> None:
    """R-SL-5, R-HIB-2, DIFF-04, F-SL-7."""
    run = play(K33, profile=profile).until(500_000).strike("crash_idle").until(550_000)
    run.call("sendEvent", {"type": "wake", "payload": 1})
    run.finish()
    assert run.status == "errored"
    assert "past" in run.error[1]
    assert run.ended_ms == 550_000


K34 = Program(
    "K34",
    ts="""
        await step.sleep("s", 100_000);
        await write("awake");
    """,
    py="""
        await step.sleep("s", 100_000)
        await write("awake")
    """,
)


def test_k34_a_sleep_is_not_made_longer_by_a_crash(play: Start) -> None:
    """R-SL-2, F-SL-2."""
    run = play(K34, down_ms=20_000).until(40_000).strike("crash_idle").finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert run.writes == [(100_000, "awake")]


def test_k35_an_overdue_sleep_ends_at_recovery(play: Start) -> None:
    """R-SL-2, F-SL-3."""
    run = play(K34, down_ms=90_000).until(40_000).strike("crash_idle").finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert run.writes == [(130_000, "awake")]


K36 = Program(
    "K36",
    ts="""
        await step.sleep("s", "10 seconds");
        await write("awake");
    """,
    py="""
        await step.sleep("s", "10 seconds")
        await write("awake")
    """,
)


def test_k36_a_pause_makes_a_sleep_longer(play: Start) -> None:
    """R-LC-2, R-LC-3, R-LC-4, F-SL-8."""
    run = play(K36).until(4_000)
    run.call("pause")
    assert run.status == "paused"
    run.until(104_000)
    run.call("resume")
    run.finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert run.writes == [(110_000, "awake")]
