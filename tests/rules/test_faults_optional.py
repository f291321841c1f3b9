"""Fault points that are explored only where the bounds name them (4.2): what each leaves behind."""

from __future__ import annotations

import pytest

from eutaxy._base.fault import OPTIONAL, Fault
from tests.rules.conftest import Start
from tests.rules.explore import explore
from tests.rules.play import request_for
from tests.rules.programs import Program

pytestmark = pytest.mark.host

HOUR_MS = 3_600_000

Sleeping = Program(
    "Sleeping",
    ts="""
        await write("begun");
        await Promise.all([step.sleep("first", "10 seconds"), step.sleep("second", "20 seconds")]);
        await write("slept");
    """,
    py="""
        await write("begun")
        await asyncio.gather(step.sleep("first", "10 seconds"), step.sleep("second", "20 seconds"))
        await write("slept")
    """,
)


def test_f_st_2_an_instance_is_queued_for_long(play: Start) -> None:
    """F-ST-2: an event does not shorten the queue."""
    run = play(Sleeping, asked=(Fault.QUEUED_LONG,)).strike("queued_long")
    assert run.status == "queued"
    run.until(60_000).call("sendEvent", {"type": "t", "payload": 1})
    assert run.until(HOUR_MS - 1).status == "queued"
    assert run.finish().writes == [(HOUR_MS, "begun"), (HOUR_MS + 20_000, "slept")]


def test_f_lc_9_no_slot_is_free_after_a_pause(play: Start) -> None:
    """F-LC-9."""
    run = play(Sleeping, asked=(Fault.QUEUED_LONG,)).until(5_000)
    run.call("pause")
    run.call("resume")
    run.strike("queued_long")
    assert run.status == "queued"
    assert run.until(5_000 + HOUR_MS - 1).status == "queued"
    assert run.finish().ended_ms == 5_000 + HOUR_MS


def test_f_sl_1_a_sleep_is_noted_without_its_timer(play: Start) -> None:
    """F-SL-1: it is skipped; a sleep that began later was never noted."""
    run = play(Sleeping, asked=(Fault.CRASH_SLEEP_NOTED,), down_ms=1_000)
    run.until(0).choose("name='first'", fate="crash_sleep_noted").finish()
    assert run.writes == [(0, "begun"), (1_000, "begun"), (21_000, "slept")]


def test_f_sl_1_and_the_sleep_before_it_stays(play: Start) -> None:
    """F-SL-1, R-SL-2."""
    run = play(Sleeping, asked=(Fault.CRASH_SLEEP_NOTED,), down_ms=1_000)
    run.until(0).choose("name='second'", fate="crash_sleep_noted").finish()
    assert run.writes == [(0, "begun"), (1_000, "begun"), (10_000, "slept")]


def test_f_sl_1_only_at_that_moment(play: Start) -> None:
    run = play(Sleeping, asked=(Fault.CRASH_SLEEP_NOTED,)).until(1)
    assert run.instance().loose.torn == ()


Hibernating = Program(
    "Hibernating",
    ts="""
        await step.sleep("long", "1 hour");
        await write("slept");
    """,
    py="""
        await step.sleep("long", "1 hour")
        await write("slept")
    """,
)


def test_f_sl_1_also_of_a_sleep_that_ends_the_lifetime(play: Start) -> None:
    """F-SL-1, R-HIB-1."""
    run = play(Hibernating, asked=(Fault.CRASH_SLEEP_NOTED,), down_ms=1_000)
    assert run.until(0).status == "waiting"
    run.choose("name='long'", fate="crash_sleep_noted").finish()
    assert run.writes == [(1_000, "slept")]


Waiting = Program(
    "Waiting",
    ts="""
        await step.sleep("nap", "1 second");
        const got = [];
        for (const name of ["w1", "w2"]) {
          try {
            got.push((await step.waitForEvent(name, { type: "t", timeout: "10 seconds" })).payload);
          } catch {
            await write(`${name} timed out`);
          }
        }
        return got;
    """,
    py="""
        await step.sleep("nap", "1 second")
        got = []
        for name in ["w1", "w2"]:
            try:
                event = await step.wait_for_event(name, "t", timeout="10 seconds")
                got.append(event["payload"])
            except Exception:
                await write(f"{name} timed out")
        return got
    """,
)


def test_f_ev_13_a_wait_is_noted_without_its_deadline(play: Start) -> None:
    """F-EV-13: its timeout begins anew."""
    run = play(Waiting, asked=(Fault.CRASH_WAIT_NOTED,), down_ms=4_000)
    run.until(1_000).choose("name='w1'", fate="crash_wait_noted").finish()
    assert run.writes[0] == (15_000, "w1 timed out")


def test_f_ev_13_does_not_lose_an_event(play: Start) -> None:
    """F-EV-13, R-EV-2."""
    run = play(Waiting, asked=(Fault.CRASH_WAIT_NOTED,), down_ms=4_000)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.until(1_000).choose("name='w1'", fate="crash_wait_noted").finish()
    assert run.output == ["A"]


@pytest.mark.parametrize("is_paused", [True, False])
def test_f_ev_6_a_consumed_event_is_handed_over_again(play: Start, *, is_paused: bool) -> None:
    """F-EV-6: to the next wait of its type, before the event that was meant for it."""
    run = play(Waiting, asked=(Fault.EVENT_AGAIN,))
    run.until(2_000).call("sendEvent", {"type": "t", "payload": "A"})
    run.until(2_000)
    if is_paused:
        run.call("pause")
        run.call("resume")
    else:
        run.strike("crash_idle")
    run.call("sendEvent", {"type": "t", "payload": "B"})
    run.strike("event_again").finish()
    assert run.output == ["A", "A"]


def test_f_ev_6_not_after_a_restart(play: Start) -> None:
    """F-EV-6, F-EV-12, R-LC-8."""
    run = play(Waiting, asked=(Fault.EVENT_AGAIN,))
    run.until(2_000).call("sendEvent", {"type": "t", "payload": "A"})
    run.until(2_000)
    assert run.instance().loose.consumed
    run.call("restart")
    assert not run.instance().loose.consumed


Returning = Program(
    "Returning",
    ts="return Date.now() - event.timestamp.getTime();",
    py='return (datetime.now() - event["timestamp"]) / timedelta(milliseconds=1)',
)


def test_f_run_8_the_first_success_is_the_one_that_is_told(play: Start) -> None:
    """F-RUN-8, R-ST-5: `run` is replayed, and what it returns then is not shown."""
    run = play(Returning, asked=(Fault.CRASH_RUN_LOGGED,), down_ms=5_000)
    run.strike("crash_run_logged", "run_result").finish()
    assert (run.status, run.ended_ms, run.lifetimes) == ("complete", 5_000, 2)
    assert run.call("status")["output"] == 0


def test_f_run_8_without_the_log_record_it_is_the_last(play: Start) -> None:
    """F-RUN-7, R-ST-5."""
    run = play(Returning, down_ms=5_000).strike("crash_after", "run_result").finish()
    assert run.call("status")["output"] == 5_000


Restarting = Program(
    "Restarting",
    ts="""
        await step.sleep("nap", "10 seconds");
        await step.do("a", async () => { await write("a"); });
    """,
    py="""
        await step.sleep("nap", "10 seconds")

        @step.do("a")
        async def a():
            await write("a")
        await a()
    """,
    ts_fetch="""
        const instance = await env.Restarting.get("i");
        let answer = "restarted";
        try {
          await instance.restart();
        } catch {
          answer = "failed";
        }
        return Response.json(answer);
    """,
    py_fetch="""
        instance = await env.Restarting.get("i")
        answer = "restarted"
        try:
            await instance.restart()
        except Exception:
            answer = "failed"
        return Response.json(answer)
    """,
)


def test_f_lc_8_half_of_a_restart(play: Start) -> None:
    """F-LC-8, R-LC-10: no engine runs, and no timer starts one; the caller hears of a failure."""
    run = play(Restarting, asked=(Fault.RESTART_HALF,), requests=(request_for(Restarting),))
    run.strike("restart_half", "restart").finish()
    assert run.answer == "failed"
    assert (run.status, run.writes) == ("running", [])
    assert run.instance().is_dormant
    run.call("restart")
    assert run.finish().writes == [(10_000, "a")]


def test_f_lc_8_an_event_starts_it_again(play: Start) -> None:
    """F-LC-8: what had been done is not forgotten (4.1)."""
    run = play(Restarting, asked=(Fault.RESTART_HALF,), requests=(request_for(Restarting),))
    run.strike("restart_half", "restart").finish().until(60_000)
    run.call("sendEvent", {"type": "t", "payload": 1})
    assert run.finish().writes == [(60_000, "a")]


Asking = Program(
    "Asking",
    ts="""await step.do("a", async () => { await write("a"); });""",
    py="""
        @step.do("a")
        async def a():
            await write("a")
        await a()
    """,
    ts_fetch="""
        const instance = await env.Asking.get("i");
        return Response.json((await instance.status()).status);
    """,
    py_fetch="""
        instance = await env.Asking.get("i")
        return Response.json((await instance.status())["status"])
    """,
)


@pytest.mark.parametrize(
    ("fate", "told"), [("STATUS_STALE", "running"), ("STATUS_UNKNOWN", "unknown")]
)
def test_f_lc_11_a_status_that_is_stale_or_unknown(play: Start, fate: str, told: str) -> None:
    """F-LC-11."""
    run = play(Asking, asked=(Fault.STATUS_STALE,), requests=(request_for(Asking, after_ms=1_000),))
    run.until(999).choose("clock").choose("Deliver").choose("Act(")
    assert run.status == "complete"
    run.choose(f"Fate.{fate}", fate="status_stale").finish()
    assert run.answer == told


Twice = Program(
    "Twice",
    ts="""await step.do("a", async () => { await write(event.payload); });""",
    py="""
        @step.do("a")
        async def a():
            await write(event["payload"])
        await a()
    """,
)


def test_f_lc_10_a_deleted_instance_acts_on_the_world_of_the_next(play: Start) -> None:
    """F-LC-10: without being named, since what is under way always lands later (DIFF-22)."""
    run = play(Twice, params="old").choose("Start()").choose("StartAttempt")
    run.call("delete")
    run.create("new").choose("Start()").choose("StartAttempt").choose("Act(")
    run.choose("StoreAttempt").choose("StoreRun").finish()
    assert run.status == "complete"
    assert run.writes == [(0, "new"), (0, "old")]


Streaming = Program(
    "Streaming",
    ts="""
        const stream = await step.do("a", { retries: { limit: 0, delay: 0 } }, async () => {
          let count = 0;
          return new ReadableStream({
            async pull(controller) {
              count += 1;
              if (count === 3) return controller.close();
              await write(`chunk ${count}`);
              controller.enqueue(new Uint8Array([96 + count]));
            },
          });
        });
        return await new Response(stream).text();
    """,
)


@pytest.mark.node_only("a Python Worker would return a JavaScript object")
@pytest.mark.parametrize(
    ("fault", "effect", "nth", "written"),
    [
        ("crash_after", "Fetch:log POST", 1, ["chunk 1", "chunk 1", "chunk 2"]),
        ("crash_after", "Fetch:log POST", 2, ["chunk 1", "chunk 2", "chunk 1", "chunk 2"]),
        ("crash_after", "step_result", 1, ["chunk 1", "chunk 2", "chunk 1", "chunk 2"]),
    ],
)
def test_f_do_19_crash_while_a_stream_is_written(
    play: Start, fault: str, effect: str, nth: int, written: list[str]
) -> None:
    """F-DO-19, R-RES-5: its chunks are discarded; without being named, since a stream is read
    between the effects that make it and its end."""
    run = play(Streaming).strike(fault, effect, nth=nth).finish()
    assert [text for _, text in run.writes] == written
    assert [each.number for each in run.attempts] == [1, 2]
    assert run.output == "ab"


@pytest.mark.parametrize("program", [Sleeping, Waiting], ids=["sleeping", "waiting"])
def test_no_world_breaks_a_promise(play: Start, program: Program) -> None:
    """Section 4.3, with all optional faults named."""
    run = play(program, asked=OPTIONAL, down_ms=1_000)
    found = explore(run, faults=2)
    assert "complete" in found.ends
    assert {name for name, _ in found.struck} >= {"queued_long", "crash_run_logged"}


Buffered = Program(
    "Buffered",
    ts="""
        await step.sleep("nap", "10 seconds");
        const got = [];
        for (let index = 0; index < event.payload; index += 1) {
          got.push((await step.waitForEvent("w", { type: "t", timeout: "1 hour" })).payload);
        }
        return got;
    """,
    py="""
        await step.sleep("nap", "10 seconds")
        got = []
        for _ in range(event["payload"]):
            got.append((await step.wait_for_event("w", "t", timeout="1 hour"))["payload"])
        return got
    """,
)


@pytest.mark.parametrize(
    ("buffered", "got"),
    [
        (["A", "B"], ["C", "C", "B"]),
        (list(range(12)), ["C", "C", 1, 10, 11, 2, 3, 4, 5, 6, 7, 8]),
    ],
    ids=["two", "a dozen"],
)
def test_f_ev_14_an_event_wakes_an_engine_with_others_buffered(
    play: Start, buffered: list[int | str], got: list[int | str]
) -> None:
    """F-EV-14, R-EV-10: local; it comes twice and the oldest is lost; more than ten reorder."""
    run = play(Buffered, params=len(got), profile="local-2026-11")
    run.until(1_000)
    for each in buffered:
        run.call("sendEvent", {"type": "t", "payload": each})
    run.strike("crash_idle").until(5_000)
    run.call("sendEvent", {"type": "t", "payload": "C"})
    run.finish()
    assert run.output == got


Killed = Program(
    "Killed",
    ts="""
        const retries = { limit: 1, delay: "10 seconds" };
        const pay = async () => {
          try { await write("pay"); } catch { await write("caught"); }
        };
        await Promise.all([
          step.do("pay", { retries }, pay),
          step.do("slow", async () => { await pause(1000); await write("slow"); }),
        ]);
    """,
    py="""
        @step.do("pay", config={"retries": {"limit": 1, "delay": "10 seconds"}})
        async def pay():
            try:
                await write("pay")
            except Exception:
                await write("caught")

        @step.do("slow")
        async def slow():
            await pause(1000)
            await write("slow")
        await asyncio.gather(pay(), slow())
    """,
)


def test_r_lim_2_an_attempt_is_killed_for_its_processor_time(play: Start) -> None:
    """R-LIM-2: it fails and is retried after the delay; what was under way still lands."""
    run = play(Killed, asked=(Fault.ATTEMPT_KILLED,)).strike("attempt_killed", "Fetch:log POST")
    assert run.writes == []
    run.finish()
    assert run.times("pay") == [0, 10_000]
    assert (run.status, run.lifetimes, run.calls("slow")) == ("complete", 1, 1)
    assert sorted(text for _, text in run.writes) == ["pay", "pay", "slow"]


def test_r_lim_2_and_fails_for_good_without_retries_left(play: Start) -> None:
    """R-LIM-2, R-RT-1."""
    run = play(Killed, asked=(Fault.ATTEMPT_KILLED,))
    run.strike("attempt_killed", "Fetch:log POST").until(1_000)
    run.strike("attempt_killed", "Fetch:log POST", nth=2).finish()
    assert run.failed("Error", "Worker exceeded CPU time limit.")
    assert run.calls("pay") == 2
