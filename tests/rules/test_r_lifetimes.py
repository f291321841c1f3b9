"""Rules of section 2 in more situations: pauses, suspensions, limits, handlers, deletion."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Rejected
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Retrying = Program(
    "Retrying",
    ts="""
        const retries = { limit: 1, delay: event.payload, backoff: "constant" };
        return await step.do("a", { retries }, async (ctx) => {
          if (ctx.attempt === 1) throw new Error("first");
          return "second";
        });
    """,
    py="""
        retries = {"limit": 1, "delay": event["payload"], "backoff": "constant"}

        @step.do("a", config={"retries": retries})
        async def a(ctx):
            if ctx["attempt"] == 1:
                raise Exception("first")
            return "second"
        return await a()
    """,
)


def test_a_pause_moves_a_retry(play: Start) -> None:
    """R-LC-2, R-LC-4: paused at once, and the rest of the delay is waited afterwards."""
    run = play(Retrying, params=10_000).until(4_000)
    run.call("pause")
    assert run.status == "paused"
    run.until(50_000).call("resume")
    run.finish()
    assert run.times("a") == [0, 56_000]
    assert (run.output, run.lifetimes) == ("second", 2)


@pytest.mark.parametrize(("delay_ms", "lifetimes"), [(299_999, 1), (300_000, 2)])
def test_a_long_retry_delay_ends_the_lifetime(play: Start, delay_ms: int, lifetimes: int) -> None:
    """R-HIB-1, R-RT-5."""
    run = play(Retrying, params=delay_ms).until(10_000)
    assert run.status == ("running" if lifetimes == 1 else "waiting")
    run.finish()
    assert run.times("a") == [0, delay_ms]
    assert (run.output, run.lifetimes) == ("second", lifetimes)


def test_a_suspended_instance_pauses_too(play: Start) -> None:
    """R-LC-1, R-LC-3, R-LC-4: nothing is in memory, and the rest of the delay is waited later."""
    run = play(Retrying, params=3_600_000).until(600_000)
    assert run.status == "waiting"
    run.call("pause")
    assert run.status == "paused"
    run.until(7_200_000).call("resume")
    run.finish()
    assert run.times("a") == [0, 7_200_000 + 3_000_000]
    assert run.output == "second"


def test_a_pause_while_the_engine_is_down(play: Start) -> None:
    """R-LC-1, R-HIB-3."""
    run = play(Retrying, params=10_000, down_ms=1_000).until(4_000).strike("crash_idle")
    run.call("pause")
    assert run.until(20_000).status == "paused"
    assert run.times("a") == [0]
    run.call("resume")
    run.finish()
    assert (run.status, run.output) == ("complete", "second")


Timed = Program(
    "Timed",
    ts="""
        const first = await step.waitForEvent("w", { type: "t", timeout: "10 seconds" });
        const after = (when) => when.getTime() - event.timestamp.getTime();
        return [first.type, after(first.timestamp)];
    """,
    py="""
        first = await step.wait_for_event("w", "t", timeout="10 seconds")
        return [first["type"], round((first["timestamp"] - event["timestamp"]).total_seconds() * 1000)]
    """,
)


def test_a_pause_moves_the_timeout_of_a_wait(play: Start) -> None:
    """R-LC-4, R-EV-5."""
    run = play(Timed).until(4_000)
    run.call("pause")
    run.until(50_000).call("resume")
    run.finish()
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 10000ms")
    assert run.ended_ms == 56_000


def test_an_event_tells_when_it_was_received(play: Start) -> None:
    """R-EV-1: the time of `sendEvent`, not of the wait that takes it."""
    run = play(Timed, creates=False).until(5_000).create().until(6_000)
    run.call("sendEvent", {"type": "t", "payload": 1})
    run.finish()
    assert run.output == ["t", 1_000]


Race = Program(
    "Race",
    ts="""
        const winner = await step.do("race", async () => {
          const slow = step.do("p1", async () => { await pause(300); return "p1"; });
          const fast = step.do("p2", async () => "p2");
          return await Promise.race([slow, fast]);
        });
        await step.sleep("long", "10 minutes");
        return winner;
    """,
    py="""
        @step.do("race")
        async def race():
            @step.do("p1")
            async def p1():
                await pause(300)
                return "p1"

            @step.do("p2")
            async def p2():
                return "p2"
            racers = [asyncio.ensure_future(each()) for each in (p1, p2)]
            await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
            return next(each.result() for each in racers if each.done())
        winner = await race()
        await step.sleep("long", "10 minutes")
        return winner
    """,
)


def test_a_race_inside_a_step_is_stable(play: Start) -> None:
    """R-PAR-2."""
    run = play(Race).finish()
    assert (run.status, run.output, run.lifetimes) == ("complete", "p2", 2)


Counted = Program(
    "Counted",
    ts="""
        for (const name of ["a", "b"]) await step.do(name, async () => {});
        await step.sleep("long", "10 minutes");
        let errors = 0;
        for (const name of ["c", "d", "e"]) {
          try {
            await step.do(name, async () => {});
          } catch {
            errors += 1;
          }
        }
        return errors;
    """,
    py="""
        def make(name):
            @step.do(name)
            async def one():
                pass
            return one()
        for name in ["a", "b"]:
            await make(name)
        await step.sleep("long", "10 minutes")
        errors = 0
        for name in ["c", "d", "e"]:
            try:
                await make(name)
            except Exception:
                errors += 1
        return errors
    """,
)


def test_the_limit_counts_each_lifetime_anew(play: Start) -> None:
    """R-LIM-1: cached calls count, an earlier lifetime does not, and each call beyond throws."""
    run = play(Counted, engine={"steps_max": {"Counted": 3}}).finish()
    assert (run.status, run.output, run.lifetimes) == ("complete", 2, 2)
    assert [each.step for each in run.attempts] == ["a", "b", "c"]


Fresh = Program(
    "Fresh",
    ts_head="let module = 0;",
    ts="""
        this.seen = (this.seen ?? 0) + 1;
        module += 1;
        event.payload.n += 1;
        const told = [this.seen, module, event.payload.n];
        await step.do("a", async () => { await write(told.join(" ")); });
        await step.sleep("long", "10 minutes");
        return told;
    """,
    py_head="""
        MODULE = [0]
    """,
    py="""
        self.seen = getattr(self, "seen", 0) + 1
        MODULE[0] += 1
        event["payload"]["n"] += 1
        told = [self.seen, MODULE[0], event["payload"]["n"]]

        @step.do("a")
        async def a():
            await write(f"{told[0]} {told[1]} {told[2]}")
        await a()
        await step.sleep("long", "10 minutes")
        return told
    """,
)


def test_each_lifetime_starts_with_the_original_event(play: Start) -> None:
    """R-HIB-3: fields, module variables and the payload are as they were (1.4)."""
    run = play(Fresh, params={"n": 1}).finish()
    assert (run.output, run.lifetimes) == ([1, 1, 2], 2)
    assert run.writes == [(0, "1 1 2")]


Stubborn = Program(
    "Stubborn",
    ts="""
        const rollback = async ({ ctx }) => {
          await write("undo");
          if (Date.now() - event.timestamp.getTime() < event.payload) throw new Error("later");
        };
        const rollbackConfig = { retries: { limit: 2, delay: "5 seconds", backoff: "constant" } };
        await step.do("a", async () => 1, { rollback, rollbackConfig });
        throw new Error("no");
    """,
)


@pytest.mark.node_only("the Python SDK has no rollback options")
@pytest.mark.parametrize(("ms", "outcome"), [(10_000, "complete"), (10_001, "failed")])
def test_a_handler_is_retried_by_its_own_config(play: Start, ms: int, outcome: str) -> None:
    """R-RB-5, R-RB-6."""
    run = play(Stubborn, params=ms).finish()
    assert run.writes == [(0, "undo"), (5_000, "undo"), (10_000, "undo")]
    assert run.rollback["outcome"] == outcome
    assert run.failed("Error", "no")


Deleted = Program(
    "Deleted",
    ts="""
        await step.do("a", async () => 1, { rollback: async () => { await write("undone"); } });
        await step.sleep("s", "1 minute");
        await write("awake");
    """,
)


@pytest.mark.node_only("the Python SDK has no rollback options")
def test_deleting_many(play: Start) -> None:
    """R-LC-11: one entry for each position, without rollback (1.2)."""
    run = play(Deleted).until(1_000)
    with pytest.raises(Rejected):
        run.call("deleteBatch", ["i", "not an id!"])
    with pytest.raises(Rejected):
        run.call("deleteBatch", [])
    assert run.status == "running"
    answer = run.call("deleteBatch", ["i", "unknown", "i"])
    assert answer["deleted"] == [{"id": "i"}, {"id": "i"}]
    assert [(each["id"], each["code"]) for each in answer["errors"]] == [("unknown", 10_400)]
    run.finish()
    assert run.writes == []
    with pytest.raises(Rejected, match=r"instance\.not_found"):
        run.call("get")


Suspended = Program(
    "Suspended",
    ts="""
        await write("outside");
        await step.sleep("long", "1 hour");
        const got = await step.waitForEvent("w", { type: "t", timeout: "1 hour" });
        await write(got.payload);
    """,
    py="""
        await write("outside")
        await step.sleep("long", "1 hour")
        got = await step.wait_for_event("w", "t", timeout="1 hour")
        await write(got["payload"])
    """,
)


def test_an_event_that_nobody_waits_for_starts_a_suspended_engine(play: Start) -> None:
    """R-HIB-1, R-HIB-3, R-EV-2, R-RUN-3: engines start on demand (4.1), and the event is kept."""
    run = play(Suspended).until(600_000)
    assert run.status == "waiting"
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.until(600_000)
    assert (run.status, run.lifetimes) == ("waiting", 2)
    run.finish()
    assert run.writes == [
        (0, "outside"),
        (600_000, "outside"),
        (3_600_000, "outside"),
        (3_600_000, "A"),
    ]


def test_reading_the_status_starts_none(play: Start) -> None:
    """R-ST-1."""
    run = play(Suspended).until(600_000)
    assert run.call("status")["status"] == "waiting"
    assert run.call("get") == {"id": "i"}
    assert run.until(600_000).lifetimes == 1


def test_an_instance_that_was_woken_can_be_paused(play: Start) -> None:
    """R-LC-1, R-EV-7, F-EV-10: it stays paused, whatever arrives."""
    run = play(Suspended).until(600_000)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.call("pause")
    run.call("sendEvent", {"type": "t", "payload": "B"})
    assert run.until(900_000).status == "paused"
    assert run.lifetimes == 1
