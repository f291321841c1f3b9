"""What differs between the profiles, and the switches whose production value is unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eutaxy._platform.workflows.profile import PROD
from tests.rules.conftest import Start
from tests.rules.play import Rejected
from tests.rules.programs import Program

pytestmark = pytest.mark.host

LOCAL = pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])

Nap = Program(
    "Nap",
    ts="""
        await step.sleep("s", "100 second");
        return event.payload;
    """,
    py="""
        await step.sleep("s", "100 second")
        return event["payload"]
    """,
)


@LOCAL
def test_a_local_engine_does_not_wake_up(play: Start, profile: str) -> None:
    """R-HIB-2, DIFF-09: after a crash it stays `running` until a call starts it."""
    run = play(Nap, params=1, profile=profile).until(40_000).strike("crash_idle").until(500_000)
    assert (run.status, run.lifetimes) == ("running", 1)
    assert run.call("status")["status"] == "running"
    run.until(600_000)
    assert run.lifetimes == 1
    run.call("sendEvent", {"type": "wake", "payload": 0})
    run.finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", 1, 600_000)


def test_a_dormant_engine_of_august_is_given_new_params(play: Start) -> None:
    """R-CR-3, DIFF-02."""
    run = play(Nap, params=1, profile="local-2026-08").until(40_000).strike("crash_idle")
    assert run.call("create", {"id": "i", "params": 2}) == {"id": "i"}
    run.finish()
    assert (run.status, run.output, run.lifetimes) == ("complete", 2, 2)


@pytest.mark.parametrize(
    ("profile", "ids"), [("prod", ["x", "y"]), ("local-2026-08", ["x", "x", "y"])]
)
def test_batches_of_august(play: Start, profile: str, ids: list[str]) -> None:
    """R-CR-8, DIFF-13: a handle for each position, also for what exists."""
    run = play(Nap, creates=False, profile=profile)
    made = run.call("createBatch", [{"id": each} for each in ("x", "x", "y")])
    assert made == [{"id": each} for each in ids]


Big = Program(
    "Big",
    ts="""
        try {
          await step.do("a", { retries: { limit: 0, delay: 0 } }, async () => "x".repeat(5 * 2 ** 20));
        } catch (error) {
          return error.message.includes("too large");
        }
        return "stored";
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a():
            return "x" * (5 * 2**20)
        try:
            await a()
        except Exception as error:
            return "too large" in str(error)
        return "stored"
    """,
)


@pytest.mark.languages_differ("what Python catches is a JsException with name and message in one")
@pytest.mark.parametrize(
    ("profile", "output"), [("prod", True), ("local-2026-08", True), ("local-2026-11", "stored")]
)
def test_how_large_a_result_may_be(play: Start, profile: str, output: object) -> None:
    """R-RES-4, DIFF-11: five megabytes fit the engine of November only."""
    assert play(Big, profile=profile).finish().output == output


Names = Program(
    "Names",
    ts="""
        const long = "x".repeat(257);
        const options = { timeout: 1 };
        const tried = {
          sleep: () => step.sleep(long, 1),
          wait: () => step.waitForEvent(long, { type: "t", ...options }),
          type: () => step.waitForEvent("w", { type: "t".repeat(101), ...options }),
          letters: () => step.waitForEvent("w", { type: "a.b", ...options }),
        };
        try {
          await tried[event.payload]();
        } catch (error) {
          return error.name;
        }
        return "no error";
    """,
    py="""
        long = "x" * 257
        tried = {
            "sleep": lambda: step.sleep(long, 1),
            "wait": lambda: step.wait_for_event(long, "t", timeout=1),
            "type": lambda: step.wait_for_event("w", "t" * 101, timeout=1),
            "letters": lambda: step.wait_for_event("w", "a.b", timeout=1),
        }
        try:
            await tried[event["payload"]]()
        except Exception as error:
            return error.name
        return "no error"
    """,
)


@pytest.mark.parametrize("what", ["sleep", "wait", "type", "letters"])
def test_names_are_checked(play: Start, what: str) -> None:
    """DIFF-12."""
    assert play(Names, params=what).finish().output == "WorkflowFatalError"


@LOCAL
@pytest.mark.parametrize("what", ["sleep", "wait", "type", "letters"])
def test_but_not_locally(play: Start, what: str, profile: str) -> None:
    """DIFF-12: the waits run out of time, as nothing was sent."""
    output = "no error" if what == "sleep" else "WorkflowTimeoutError"
    assert play(Names, params=what, profile=profile).finish().output == output


Shape = Program(
    "Shape",
    ts="""
        await step.do("a", async () => 1);
        await step.do("b", async () => 2);
    """,
    py="""
        @step.do("a")
        async def a():
            return 1

        @step.do("b")
        async def b():
            return 2
        await a()
        await b()
    """,
)


def test_the_status_of_production(play: Start) -> None:
    """R-ST-3, DIFF-15."""
    run = play(Shape).finish()
    assert run.call("status") == {"status": "complete", "output": None, "rollback": None}


@LOCAL
def test_the_status_of_a_local_engine(play: Start, profile: str) -> None:
    """R-ST-3, DIFF-15."""
    run = play(Shape, profile=profile).finish()
    shown = run.call("status")
    assert shown.pop("error", {"$": "undefined"}) == {"$": "undefined"}
    assert shown == {"status": "complete", "output": None, "__LOCAL_DEV_STEP_OUTPUTS": [1, 2]}


Kinds = Program(
    "Kinds",
    ts="""
        await step.sleep("z", 1000);
        const found = await step.do("z1000", async () => { await write("called"); return "found"; });
        return found ?? "nothing";
    """,
    py="""
        @step.do("z1000")
        async def z():
            await write("called")
            return "found"
        await step.sleep("z", 1000)
        return await z() or "nothing"
    """,
)


@LOCAL
def test_kinds_share_keys_locally(play: Start, profile: str) -> None:
    """R-ID-4, DIFF-16: the step finds the record of the sleep and is not called."""
    run = play(Kinds, profile=profile).finish()
    assert (run.output, run.writes) == ("nothing", [])


Once = Program(
    "Once",
    ts="""
        return await step.do("a", { retries: { limit: 0, delay: 0 } }, async () => "done");
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 0, "delay": 0}})
        async def a():
            return "done"
        return await a()
    """,
)


@pytest.mark.parametrize(("is_checked", "calls"), [(False, 2), (True, 1)])
def test_whether_recovery_compares_the_limit(play: Start, calls: int, *, is_checked: bool) -> None:
    """R-RT-4, with and without the switch `recovery_checks_limit`."""
    profile = replace(PROD, recovery_checks_limit=is_checked)
    run = play(Once, profile=profile).strike("crash_after", "step_start").finish()
    assert run.calls("a") == calls
    assert run.status == ("errored" if is_checked else "complete")


Large = Program(
    "Large",
    ts="""
        const config = { retries: { limit: 2, delay: 0 } };
        await step.do("a", config, async () => "x".repeat(2 ** 20));
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 2, "delay": 0}})
        async def a():
            return "x" * 2**20
        await a()
    """,
)


@pytest.mark.parametrize(("is_retried", "calls"), [(False, 1), (True, 3)])
def test_whether_a_result_too_large_is_retried(
    play: Start, calls: int, *, is_retried: bool
) -> None:
    """R-RES-4, with and without the switch `oversize_is_retried`."""
    run = play(Large, profile=replace(PROD, oversize_is_retried=is_retried)).finish()
    assert (run.status, run.calls("a")) == ("errored", calls)


def test_an_event_for_an_ended_instance_names_the_reason(play: Start) -> None:
    """R-EV-8, DIFF-08."""
    run = play(Once).finish()
    with pytest.raises(Rejected, match="WorkflowError"):
        run.call("sendEvent", {"type": "t", "payload": 1})
