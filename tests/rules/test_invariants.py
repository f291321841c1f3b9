"""Section 4.3: what must hold in every step of every run, over searches of whole programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eutaxy._base.code import Returned, Threw
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._base.value import NULL, Value, error_value
from eutaxy._platform.workflows.state import (
    Instance,
    Key,
    Kind,
    SleepRecord,
    Status,
    StepRecord,
    WaitRecord,
)
from tests.rules.conftest import Start
from tests.rules.explore import explore
from tests.rules.invariants import broken_promises
from tests.rules.play import request_for
from tests.rules.programs import Program

Retrying = Program(
    "Retrying",
    ts="""
        await write("outside");
        const retries = { limit: 1, delay: "1 second" };
        await step.do("a", { retries, timeout: "5 seconds" }, async () => {
          await write("a1");
          await write("a2");
        });
        try {
          await step.do("b", { retries }, async () => { throw new NonRetryableError("b"); });
        } catch {}
        await step.sleep("long", "10 minutes");
        await step.do("c", async () => { await write("c"); });
    """,
    py="""
        await write("outside")
        retries = {"limit": 1, "delay": "1 second"}

        @step.do("a", config={"retries": retries, "timeout": "5 seconds"})
        async def a():
            await write("a1")
            await write("a2")

        @step.do("b", config={"retries": retries})
        async def b():
            raise NonRetryableError("b")

        @step.do("c")
        async def c():
            await write("c")
        await a()
        try:
            await b()
        except NonRetryableError:
            pass
        await step.sleep("long", "10 minutes")
        await c()
    """,
)
Parallel = Program(
    "Parallel",
    ts="""
        const nap = async () => { await step.sleep("nap", "10 seconds"); };
        const part = (name) => step.do(name, async () => { await write(name); return name; });
        return await Promise.all([part("a"), nap(), part("b")]);
    """,
    py="""
        async def nap():
            await step.sleep("nap", "10 seconds")

        def part(name):
            @step.do(name)
            async def one():
                await write(name)
                return name
            return one()
        return await asyncio.gather(part("a"), nap(), part("b"))
    """,
)
Waiting = Program(
    "Waiting",
    ts="""
        const first = await step.waitForEvent("w1", { type: "t", timeout: "1 minute" });
        try {
          await step.waitForEvent("w2", { type: "t", timeout: "1 minute" });
        } catch {}
        await step.do("a", async () => { await write(first.payload); });
    """,
    py="""
        first = await step.wait_for_event("w1", "t", timeout="1 minute")
        try:
            await step.wait_for_event("w2", "t", timeout="1 minute")
        except Exception:
            pass

        @step.do("a")
        async def a():
            await write(first["payload"])
        await a()
    """,
    ts_fetch="""
        const instance = await env.Waiting.create({ id: "i" });
        await instance.sendEvent({ type: "t", payload: "A" });
        await instance.pause();
        await instance.resume();
        return new Response("done");
    """,
    py_fetch="""
        instance = await env.Waiting.create({"id": "i"})
        await instance.send_event({"type": "t", "payload": "A"})
        await instance.pause()
        await instance.resume()
        return Response("done")
    """,
)
Saga = Program(
    "Saga",
    ts="""
        const rollback = async ({ stepName }) => { await write(`undo ${stepName}`); };
        await step.do("a", async () => 1, { rollback });
        await step.do("b", async (ctx) => {
          if (ctx.attempt < 3) throw new NonRetryableError("no");
        }, { rollback });
        return "forward";
    """,
)


@pytest.mark.host
@pytest.mark.parametrize(("profile", "faults"), [("prod", 2), ("local-2026-11", 2)])
def test_retries_and_hibernation(play: Start, profile: str, faults: int) -> None:
    found = explore(play(Retrying, profile=profile), faults=faults)
    assert found.worlds > 200
    assert found.ends >= {"complete", "errored"}


@pytest.mark.host
def test_every_fault_strikes_wherever_it_may(play: Start) -> None:
    """The search is offered each fault at each effect of its kind (4.2)."""
    struck = explore(play(Retrying), faults=2).struck
    call = "Fetch:log POST"
    expected = {
        (fault, call)
        for fault in (
            "crash_before",
            "crash_after",
            "crash_in_flight",
            "request_lost",
            "answer_lost",
            "answer_late",
        )
    }
    flow = "Workflow:Retrying"
    expected |= {("crash_before", f"{flow} step_start"), ("crash_after", f"{flow} step_start")}
    expected |= {("crash_after", f"{flow} step_result"), ("store_failed", f"{flow} step_result")}
    expected |= {("crash_after", f"{flow} run_result"), ("crash_idle", ""), ("timer_late", "")}
    assert struck == expected


@pytest.mark.host
def test_steps_in_parallel(play: Start) -> None:
    found = explore(play(Parallel), faults=2)
    assert found.worlds > 200
    assert found.ends == {"complete"}


@pytest.mark.host
def test_events_and_pauses(play: Start) -> None:
    run = play(Waiting, creates=False, requests=(request_for(Waiting),))
    found = explore(run, faults=2)
    assert found.worlds > 200
    assert found.ends >= {"none", "paused", "complete"}


@pytest.mark.host
@pytest.mark.node_only("the Python SDK has no rollback options")
def test_rollbacks(play: Start) -> None:
    found = explore(play(Saga), faults=3)
    assert found.worlds > 200
    assert found.ends == {"complete", "errored"}


@pytest.mark.host
def test_without_faults_and_long_waits_there_is_one_lifetime(play: Start) -> None:
    """4.3, point 10."""
    run = play(Parallel).finish()
    assert (run.status, run.lifetimes) == ("complete", 1)


@pytest.mark.host
def test_code_outside_steps_runs_once_in_each_lifetime(play: Start) -> None:
    """4.3, point 9; R-RUN-3."""
    run = play(Retrying).always_replay()
    assert run.status == "complete"
    assert run.lifetimes > 2
    assert sum(text == "outside" for _, text in run.writes) == run.lifetimes


# -- the checks notice what is wrong --------------------------------------------------------------

A = Key("a", 1)
S = Key("s", 1, Kind.SLEEP)
W = Key("w", 1, Kind.WAIT)
ONE = Returned(Value("1"))
FINE = Instance(
    Status.RUNNING,
    NULL,
    steps=(StepRecord(A, attempts=1),),
    sleeps=(SleepRecord(S, 500),),
    waits=(WaitRecord(W, "t", 1_000, 1_000),),
)
DONE = replace(FINE, steps=(StepRecord(A, outcome=ONE),))


def _note(kind: RecordKind) -> Note:
    return Note(kind=kind, activation="workflow:W:i", source="", text="")


@pytest.mark.parametrize(
    ("point", "old", "new", "passed_ms"),
    [
        ("1", DONE, replace(FINE, steps=(StepRecord(A, outcome=Returned(NULL)),)), 0),
        ("1", DONE, replace(FINE, steps=()), 0),
        ("1, 4", DONE, replace(FINE, steps=(StepRecord(A, outcome=Threw(NULL)),)), 0),
        ("3", FINE, replace(FINE, steps=(StepRecord(A, attempts=3),)), 0),
        ("3", FINE, replace(FINE, steps=(StepRecord(A, attempts=0),)), 0),
        ("5", FINE, replace(FINE, sleeps=(SleepRecord(S, None),)), 0),
        ("5", FINE, replace(FINE, sleeps=(SleepRecord(S, 100),)), 300),
        ("5", FINE, replace(FINE, sleeps=()), 0),
        (
            "6",
            replace(FINE, waits=(WaitRecord(W, "t", 1_000, 1_000, ONE),)),
            replace(FINE, waits=(WaitRecord(W, "t", 1_000, 1_000, Threw(error_value("E", ""))),)),
            0,
        ),
        ("7", replace(FINE, status=Status.COMPLETE), replace(FINE, status=Status.RUNNING), 0),
    ],
)
def test_a_broken_promise_is_named(
    point: str, old: Instance, new: Instance, passed_ms: int
) -> None:
    broken = list(broken_promises(old, new, [], passed_ms=passed_ms))
    assert [each.split(":")[0] for each in broken][:1] in ([point], ["1, 4"])


def test_kept_promises_are_not() -> None:
    later = replace(
        FINE,
        steps=(StepRecord(A, attempts=2),),
        sleeps=(SleepRecord(S, 200),),
        waits=(WaitRecord(W, "t", 1_000, 1_000, ONE),),
    )
    assert list(broken_promises(FINE, later, [_note(RecordKind.START)], passed_ms=300)) == []
    restarted = Instance(Status.QUEUED, NULL)
    assert list(broken_promises(DONE, restarted, [])) == []
