"""Corners in which the model had to choose, as docs/model.md lists them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.conftest import Start
from tests.rules.programs import Program

PAGE = Path(__file__).resolve().parents[2] / "docs/model.md"

LeftBehind = Program(
    "LeftBehind",
    ts="""
        const retries = { limit: 0, delay: 0 };
        const late = step.do("late", async () => {
          await pause(1000);
          await write("awake");
          if (event.payload === "sleep") await step.sleep("nap", "1 second");
          else await step.do("inner", async () => { await write("inner"); });
          await write("after");
        });
        const bad = step.do("bad", { retries }, async () => { throw new Error("bad"); });
        await Promise.all([late, bad]);
    """,
    py="""
        @step.do("late")
        async def late():
            await pause(1000)
            await write("awake")
            if event["payload"] == "sleep":
                await step.sleep("nap", "1 second")
            else:
                @step.do("inner")
                async def inner():
                    await write("inner")
                await inner()
            await write("after")

        @step.do("bad", config={"retries": {"limit": 0, "delay": 0}})
        async def bad():
            raise Exception("bad")
        await asyncio.gather(late(), bad())
    """,
)


@pytest.mark.host
def test_a_sleep_of_a_callback_ends_with_its_instance(play: Start) -> None:
    """R-TO-4, R-RUN-2."""
    run = play(LeftBehind, params="sleep").finish()
    assert (run.status, run.ended_ms) == ("errored", 0)
    assert run.writes == [(1_000, "awake")]


@pytest.mark.host
def test_a_step_of_a_callback_is_silent_after_the_end(play: Start) -> None:
    """R-TO-4, R-RUN-2."""
    run = play(LeftBehind, params="step").finish()
    assert (run.status, run.ended_ms) == ("errored", 0)
    assert run.writes == [(1_000, "awake")]


DelayFails = Program(
    "DelayFails",
    ts="""
        const retries = { limit: 2, delay: () => { throw new Error("oops"); } };
        let caught = "";
        try {
          await step.do("a", { retries }, async () => { throw new Error("no"); });
        } catch (error) {
          caught = error.name;
        }
        await step.sleep("long", "10 minutes");
        return caught;
    """,
)


@pytest.mark.host
@pytest.mark.node_only("the Python SDK renames errors")
def test_an_error_of_a_delay_function_is_stored(play: Start) -> None:
    """R-DLY-3, R-DO-4."""
    run = play(DelayFails).finish()
    assert (run.output, run.lifetimes, run.calls("a")) == ("NonRetryableDelayError", 2, 1)


def test_the_table_names_tests_that_exist() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Where the model had to choose")[2]
    named = re.findall(r"`(test_\w+)` \|$", section.partition("\n## ")[0], flags=re.MULTILINE)
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted(PAGE.parents[1].glob("tests/**/test_*.py"))
    )
    assert named
    assert [each for each in named if f"def {each}(" not in code] == []
