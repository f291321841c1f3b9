"""A new version of the code comes in the middle (F-RUN-5)."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import Fault
from tests.rules.conftest import Start
from tests.rules.play import Play
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Old = Program(
    "Old",
    ts="""
        await step.do("a", async () => { await write("a"); });
        await step.sleep("nap", event.payload);
        const retries = { limit: 1, delay: "1 second" };
        await step.do("b", { retries }, async () => { await write("old b"); throw new Error("b"); });
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")

        @step.do("b", config={"retries": {"limit": 1, "delay": "1 second"}})
        async def b():
            await write("old b")
            raise Exception("b")
        await a()
        await step.sleep("nap", event["payload"])
        await b()
    """,
)
New = Program(
    "New",
    ts="""
        await step.do("first", async () => { await write("first"); });
        await step.do("a", async () => { await write("new a"); });
        await step.sleep("nap", "1 day");
        const retries = { limit: 9, delay: "1 hour" };
        await step.do("b", { retries }, async () => { await write("new b"); throw new Error("b"); });
    """,
    py="""
        @step.do("first")
        async def first():
            await write("first")

        @step.do("a")
        async def a():
            await write("new a")

        @step.do("b", config={"retries": {"limit": 9, "delay": "1 hour"}})
        async def b():
            await write("new b")
            raise Exception("b")
        await first()
        await a()
        await step.sleep("nap", "1 day")
        await b()
    """,
)


def _begin(play: Start, nap: str, **more: object) -> Play:
    run: Play = play(Old, params=nap, asked=(Fault.DEPLOYED,), next_class="New", **more)
    return run


def test_f_run_5_a_suspended_instance_goes_on_in_the_new_version(play: Start) -> None:
    """F-RUN-5, R-ID-5: stored steps and sleeps stand, and an inserted step simply runs."""
    run = _begin(play, "1 hour").until(10_000)
    assert run.status == "waiting"
    run.strike("deployed").until(3_600_000)
    assert run.writes == [(0, "a"), (3_600_000, "first"), (3_600_000, "new b")]


def test_f_run_5_a_deploy_ends_a_lifetime_that_waits(play: Start) -> None:
    """F-RUN-5, R-SL-2."""
    run = _begin(play, "1 minute", down_ms=1_000).until(10_000)
    run.choose("Deploy", fate="deployed").until(60_000)
    assert run.writes[:3] == [(0, "a"), (11_000, "first"), (60_000, "new b")]


def test_f_run_5_stored_configs_win(play: Start) -> None:
    """F-RUN-5, K-53, F-DO-2: one retry after a second, as the old version said."""
    run = _begin(play, "1 minute").until(60_000)
    assert run.writes == [(0, "a"), (60_000, "old b")]
    run.choose("Deploy", fate="deployed").finish()
    assert run.writes[2:] == [(60_000, "first"), (61_000, "new b")]
    assert run.failed("Error", "b")


def test_f_run_5_a_restart_runs_the_new_version(play: Start) -> None:
    """F-RUN-5, R-LC-8."""
    run = _begin(play, "1 minute").until(10_000).choose("Deploy", fate="deployed").until(20_000)
    run.call("restart")
    run.until(20_000)
    assert [text for _, text in run.writes][-2:] == ["first", "new a"]
