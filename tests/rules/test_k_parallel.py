"""Conformance cases K-16 to K-24: names, parallel and nested steps, limits, results."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Attempt
from tests.rules.programs import Program

pytestmark = pytest.mark.host

K16 = Program(
    "K16",
    ts="""
        const found = [];
        for (const index of [0, 1, 2]) {
          found.push(await step.do("n", async (ctx) => {
            await write(`${index} is count ${ctx.step.count}`);
            return index;
          }));
        }
        await step.sleep("long", "10 minutes");
        return found;
    """,
    py="""
        found = []
        for index in [0, 1, 2]:
            @step.do("n")
            async def n(ctx):
                await write(f"{index} is count {ctx['step']['count']}")
                return index
            found.append(await n())
        await step.sleep("long", "10 minutes")
        return found
    """,
)


def test_k16_one_name_in_a_loop(play: Start) -> None:
    """R-ID-1, R-ID-5, R-DO-2."""
    run = play(K16).finish()
    assert (run.status, run.output, run.lifetimes) == ("complete", [0, 1, 2], 2)
    assert run.attempts == [Attempt("n", count, 1, 0) for count in (1, 2, 3)]
    assert [text for _, text in run.writes] == [
        "0 is count 1",
        "1 is count 2",
        "2 is count 3",
    ]


K17 = Program(
    "K17",
    ts="""
        const slow = (name) => step.do(name, async () => { await pause(300); return name; });
        return await Promise.all(["a", "b", "c"].map(slow));
    """,
    py="""
        def slow(name):
            @step.do(name)
            async def waits():
                await pause(300)
                return name
            return waits()
        return await asyncio.gather(*(slow(name) for name in ["a", "b", "c"]))
    """,
)


def test_k17_all_at_once(play: Start) -> None:
    """R-PAR-1, R-DO-6."""
    run = play(K17).finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", ["a", "b", "c"], 300)
    assert run.attempts == [Attempt(name, 1, 1, 0) for name in ("a", "b", "c")]


K18 = Program(
    "K18",
    ts="""
        const once = { retries: { limit: 0, delay: 0 } };
        await Promise.all([
          step.do("b", once, async () => { throw new Error("b"); }),
          step.do("slow", async () => { await pause(500); await write("slow"); }),
        ]);
    """,
    py="""
        @step.do("b", config={"retries": {"limit": 0, "delay": 0}})
        async def b():
            raise Exception("b")

        @step.do("slow")
        async def slow():
            await pause(500)
            await write("slow")
        await asyncio.gather(b(), slow())
    """,
)


def test_k18_siblings_of_a_failure_go_on(play: Start) -> None:
    """R-PAR-1, R-RUN-2, R-TO-4."""
    run = play(K18).finish()
    assert run.failed("Error", "b")
    assert run.ended_ms == 0
    assert run.writes == [(500, "slow")]


K19 = Program(
    "K19",
    ts="""
        const twice = { retries: { limit: 1, delay: 0 } };
        return await step.do("outer", twice, async (outer) => {
          const inner = await step.do("inner", async (ctx) => ctx.step.count);
          if (outer.attempt === 1) throw new Error("first");
          return inner;
        });
    """,
    py="""
        @step.do("outer", config={"retries": {"limit": 1, "delay": 0}})
        async def outer(ctx):
            @step.do("inner")
            async def inner(ctx):
                return ctx["step"]["count"]
            found = await inner()
            if ctx["attempt"] == 1:
                raise Exception("first")
            return found
        return await outer()
    """,
)


def test_k19_inner_steps_are_counted_on(play: Start) -> None:
    """R-ID-6, R-NEST-1, R-NEST-2."""
    run = play(K19).finish()
    assert (run.status, run.output) == ("complete", 2)
    assert run.attempts == [
        Attempt("outer", 1, 1, 0),
        Attempt("inner", 1, 1, 0),
        Attempt("outer", 1, 2, 0),
        Attempt("inner", 2, 1, 0),
    ]


K20 = Program(
    "K20",
    ts="""
        try {
          await step.do("x".repeat(257), async () => { await write("called"); });
        } catch (error) {
          return error.name;
        }
    """,
    py="""
        @step.do("x" * 257)
        async def long():
            await write("called")
        try:
            await long()
        except Exception as error:
            return "WorkflowFatalError" if "WorkflowFatalError" in str(error) else str(error)
    """,
)


def test_k20_a_name_too_long(play: Start) -> None:
    """Bad input is refused and can be caught (1.5)."""
    run = play(K20).finish()
    assert (run.status, run.output) == ("complete", "WorkflowFatalError")
    assert run.attempts == []
    assert run.writes == []


K21 = Program(
    "K21",
    ts="""
        for (const index of [1, 2, 3, 4]) {
          await step.do("s" + index, async () => {});
        }
    """,
    py="""
        for index in [1, 2, 3, 4]:
            @step.do(f"s{index}")
            async def s():
                pass
            await s()
    """,
)


def test_k21_more_steps_than_the_limit(play: Start) -> None:
    """R-LIM-1."""
    run = play(K21, engine={"steps_max": {"K21": 3}}).finish()
    assert [each.step for each in run.attempts] == ["s1", "s2", "s3"]
    assert run.status == "errored"
    assert "WorkflowFatalError" in ": ".join(run.error)
    assert "3" in run.error[1]


K22 = Program(
    "K22",
    ts="""
        step.do("left", async () => { await pause(400); await write("left"); });
        return "done";
    """,
    py="""
        @step.do("left")
        async def left():
            await pause(400)
            await write("left")
        asyncio.ensure_future(left())
        await asyncio.sleep(0)
        return "done"
    """,
)


def test_k22_a_step_that_nobody_awaits(play: Start) -> None:
    """R-RUN-1."""
    run = play(K22).finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", "done", 0)
    assert run.writes == [(400, "left")]


K23 = Program(
    "K23",
    ts="""
        const rollback = async () => { await write("rolled back"); };
        await step.do("first", async () => {}, { rollback });
        try {
          await step.do("bad", async () => () => {});
        } catch (error) {
          await write("caught");
        }
    """,
)


@pytest.mark.node_only("Python has no rollback; its functions become proxies")
def test_k23_a_result_that_cannot_be_stored(play: Start) -> None:
    """R-RES-2, R-RB-2, F-DO-18."""
    run = play(K23).finish()
    assert (run.status, run.error[0]) == ("errored", "WorkflowFatalError")
    assert run.calls("bad") == 1
    assert run.writes == []
    assert run.rollback is None


K24 = Program(
    "K24",
    ts="""
        const config = { retries: { limit: 2, delay: 0 } };
        try {
          await step.do("big", config, async () => "x".repeat(event.payload));
        } catch (error) {
          return `${error.name}: ${error.message}`;
        }
        return "stored";
    """,
    py="""
        @step.do("big", config={"retries": {"limit": 2, "delay": 0}})
        async def big():
            return "x" * event["payload"]
        try:
            await big()
        except Exception as error:
            return str(error)
        return "stored"
    """,
)


@pytest.mark.languages_differ("what Python catches is a JsException with name and message in one")
def test_k24_a_result_too_large(play: Start) -> None:
    """R-RES-4, F-DO-17."""
    run = play(K24, params=2**20 + 1).finish()
    assert run.calls("big") == 3
    assert run.status == "complete"
    assert "WorkflowInternalError" in run.output
    assert "1MiB" in run.output


def test_k24_a_result_just_small_enough(play: Start) -> None:
    run = play(K24, params=2**20 - 2).finish()
    assert (run.calls("big"), run.output) == (1, "stored")
