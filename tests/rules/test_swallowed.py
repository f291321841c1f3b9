"""Catch blocks that swallow errors by which the engine refuses or stops a program, and others."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Play
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Looping = Program(
    "Looping",
    ts="""
        const failed = [];
        for (const name of ["a", "b", "c"]) {
          try {
            await step.do(name, async () => { await write(name); });
          } catch (error) {
            failed.push(name);
          }
        }
        if (event.payload === "strict" && failed.length > 0) throw new Error("failed");
        return failed;
    """,
    py="""
        failed = []
        for name in ["a", "b", "c"]:
            @step.do(name)
            async def one():
                await write(name)
            try:
                await one()
            except Exception:
                failed.append(name)
        if event["payload"] == "strict" and failed:
            raise Exception("failed")
        return failed
    """,
)


def swallowed(run: Play) -> list[str]:
    """What the run has pointed out."""
    return [each.text for each in run.diagnostics if each.rule == "swallowed-error"]


def test_the_step_limit_is_swallowed(play: Start) -> None:
    """R-LIM-1: each further call throws, and nobody tells."""
    run = play(Looping, engine={"steps_max": {"Looping": 2}}).finish()
    assert run.output == ["c"]
    (told,) = swallowed(run)
    assert told.startswith("run() returned although the engine had thrown")
    assert "limit of 2 steps" in told
    (place,) = {each.place for each in run.diagnostics if each.rule == "swallowed-error"}
    assert place


def test_the_step_limit_is_passed_on(play: Start) -> None:
    run = play(Looping, params="strict", engine={"steps_max": {"Looping": 2}}).finish()
    assert run.status == "errored"
    assert swallowed(run) == []


def test_steps_that_fail_are_no_such_errors(play: Start) -> None:
    """A step that used up its retries is caught as it should be."""
    run = play(Looping)
    for attempt in range(6):
        run.strike("request_lost", "Fetch:log POST", nth=attempt + 1)
    run.finish()
    assert run.output == ["a"]
    assert swallowed(run) == []


Nested = Program(
    "Nested",
    ts="""
        return await step.do("outer", async () => {
          try {
            return await step.do("a\\u0001", async () => "inner");
          } catch (error) {
            return "fallback";
          }
        });
    """,
    py="""
        @step.do("outer")
        async def outer():
            @step.do("a\\u0001")
            async def inner():
                return "inner"
            try:
                return await inner()
            except Exception:
                return "fallback"
        return await outer()
    """,
)


def test_a_callback_swallows_a_refusal(play: Start) -> None:
    """1.5, R-NEST-1."""
    run = play(Nested).finish()
    assert run.output == "fallback"
    (told,) = swallowed(run)
    assert told.startswith("the callback of step outer returned although")


Usual = Program(
    "Usual",
    ts="""
        const retries = { limit: 0, delay: 0 };
        const seen = [];
        const attempt = async (work) => {
          try { seen.push(await work()); } catch (error) { seen.push(error.name); }
        };
        await attempt(() => step.waitForEvent("w", { type: "t", timeout: "1 minute" }));
        await attempt(() => step.do("n", async () => { throw new NonRetryableError("no"); }));
        await attempt(() => step.do("e", { retries }, async () => { throw new Error("no"); }));
        await attempt(() =>
          step.do("t", { retries, timeout: "1 second" }, async () => { await pause(5000); }));
        await attempt(() => step.sleepUntil("past", new Date(0)));
        await attempt(() => step.do("big", { retries }, async () => "x".repeat(2 ** 20 + 1)));
        return seen;
    """,
    py="""
        retries = {"limit": 0, "delay": 0}
        seen = []

        async def attempt(work):
            try:
                seen.append(await work())
            except Exception as error:
                seen.append(type(error).__name__)

        @step.do("n")
        async def n():
            raise NonRetryableError("no")

        @step.do("e", config={"retries": retries})
        async def e():
            raise Exception("no")

        @step.do("t", config={"retries": retries, "timeout": "1 second"})
        async def t():
            await pause(5000)

        @step.do("big", config={"retries": retries})
        async def big():
            return "x" * (2 ** 20 + 1)
        past = datetime(1970, 1, 1)
        await attempt(lambda: step.wait_for_event("w", "t", timeout="1 minute"))
        await attempt(n)
        await attempt(e)
        await attempt(t)
        await attempt(lambda: step.sleep_until("past", past))
        await attempt(big)
        return seen
    """,
)


@pytest.mark.languages_differ("names of errors in Python are those of its SDK")
def test_what_a_workflow_has_to_live_with_is_not_pointed_out(play: Start) -> None:
    """Timeouts, failed steps, sleeps until the past and results that are too large."""
    run = play(Usual).finish()
    assert (run.status, len(run.output)) == ("complete", 6)
    assert swallowed(run) == []


Pausing = Program(
    "Pausing",
    ts="""
        try {
          await step.waitForEvent("w", { type: "t", timeout: "1 minute" });
        } catch {
          return "timed out";
        }
    """,
    py="""
        try:
            await step.wait_for_event("w", "t", timeout="1 minute")
        except Exception:
            return "timed out"
    """,
)


@pytest.mark.parametrize(("profile", "count"), [("local-2026-11", 1), ("prod", 0)])
def test_a_pause_is_taken_for_a_timeout(play: Start, profile: str, count: int) -> None:
    """R-LC-5, DIFF-05: only where user code can see it."""
    run = play(Pausing, profile=profile).until(1_000)
    run.call("pause")
    run.finish()
    assert len(swallowed(run)) == count


def test_a_timeout_is_not_taken_for_a_pause(play: Start) -> None:
    run = play(Pausing, profile="local-2026-11").finish()
    assert run.output == "timed out"
    assert swallowed(run) == []


Delaying = Program(
    "Delaying",
    ts="""
        const retries = { limit: 2, delay: () => { throw new Error("oops"); } };
        try {
          await step.do("a", { retries }, async () => { throw new Error("no"); });
        } catch {
          return "failed";
        }
    """,
    py="""
        def delay(_):
            raise Exception("oops")

        @step.do("a", config={"retries": {"limit": 2, "delay": delay}})
        async def a():
            raise Exception("no")
        try:
            await a()
        except Exception:
            return "failed"
    """,
)


def test_a_delay_function_that_fails(play: Start) -> None:
    """R-DLY-3: the step was not retried, and its own error is gone."""
    run = play(Delaying).finish()
    (told,) = swallowed(run)
    assert "delay function" in told
