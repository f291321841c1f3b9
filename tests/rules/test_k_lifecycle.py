"""Conformance cases K-54 to K-63: creating, pausing, terminating, restarting."""

from __future__ import annotations

import pytest

from eutaxy._base.record import RecordKind
from tests.rules.conftest import Start
from tests.rules.play import Attempt, Rejected, request_for
from tests.rules.programs import Program

pytestmark = pytest.mark.host

K54 = Program(
    "K54",
    ts="""
        await step.do("a", async () => { await write(String(event.payload)); });
    """,
    py="""
        @step.do("a")
        async def a():
            await write(str(event["payload"]))
        await a()
    """,
)


def test_k54_an_id_is_used_once(play: Start) -> None:
    """R-CR-2, R-CR-6."""
    run = play(K54, params=1)
    with pytest.raises(Rejected, match=r"instance\.already_exists"):
        run.create(2)
    run.finish()
    assert (run.status, run.lifetimes) == ("complete", 1)
    with pytest.raises(Rejected, match=r"instance\.already_exists"):
        run.create(3)
    run.finish()
    assert run.writes == [(0, "1")]


K55 = Program(
    "K55",
    ts="return event.instanceId;",
    py='return event["instanceId"]',
    ts_fetch="""
        for (const attempt of [1, 2]) {
          try {
            const made = await env.K55.create({ id: "i" });
            return Response.json({ made: made.id, attempt });
          } catch (error) {
            if (attempt === 2) return Response.json({ exists: /already_exists/.test(error.message) });
          }
        }
    """,
    py_fetch="""
        for attempt in [1, 2]:
            try:
                made = await env.K55.create({"id": "i"})
                return Response.json({"made": made.id, "attempt": attempt})
            except Exception as error:
                if attempt == 2:
                    return Response.json({"exists": "already_exists" in str(error)})
    """,
)
K55Nameless = Program(
    "K55Nameless",
    ts="return event.instanceId;",
    py='return event["instanceId"]',
    ts_fetch="""
        for (const attempt of [1, 2]) {
          try {
            const made = await env.K55Nameless.create();
            return Response.json({ made: made.id });
          } catch {}
        }
    """,
    py_fetch="""
        for attempt in [1, 2]:
            try:
                made = await env.K55Nameless.create()
                return Response.json({"made": made.id})
            except Exception:
                pass
    """,
)


def test_k55_the_answer_of_create_is_lost_and_the_id_is_known(play: Start) -> None:
    """R-CR-7, R-CR-2, F-CR-2."""
    run = play(K55, creates=False, requests=(request_for(K55),))
    run.strike("answer_lost", "create").finish()
    assert run.answer == {"exists": True}
    assert (run.status, run.output, run.lifetimes) == ("complete", "i", 1)


def test_k55_the_answer_of_create_is_lost_and_there_is_no_id(play: Start) -> None:
    """R-CR-7, F-CR-2."""
    run = play(K55Nameless, creates=False, requests=(request_for(K55Nameless),))
    run.strike("answer_lost", "create").finish()
    ended = [each for each in run.records if each.text == "complete"]
    assert len(ended) == run.lifetimes == 2
    assert len({each.activation for each in ended}) == 2
    assert f"workflow:K55Nameless:{run.answer['made']}#0" in {each.activation for each in ended}


K56 = Program(
    "K56",
    ts="return event.payload;",
    py='return event["payload"]',
    ts_fetch="""
        const first = await env.K56.createBatch([
          { id: "x", params: 1 }, { id: "x", params: 2 }, { id: "y", params: 3 },
        ]);
        const second = await env.K56.createBatch([{ id: "x", params: 4 }, { params: 5 }]);
        const ids = (made) => made.map((each) => each.id);
        return Response.json([ids(first), ids(second)]);
    """,
    py_fetch="""
        first = await env.K56.createBatch(
            [{"id": "x", "params": 1}, {"id": "x", "params": 2}, {"id": "y", "params": 3}]
        )
        second = await env.K56.createBatch([{"id": "x", "params": 4}, {"params": 5}])
        return Response.json([[each.id for each in first], [each.id for each in second]])
    """,
)


def test_k56_a_batch_as_an_array_leaves_out_what_exists(play: Start) -> None:
    """R-CR-8."""
    run = play(K56, creates=False, requests=(request_for(K56),)).finish()
    first, second = run.answer
    assert first == ["x", "y"]
    assert len(second) == 1
    assert second[0] not in ("x", "y")
    ended = sorted(
        (each.activation, each.answer) for each in run.records if each.text == "complete"
    )
    assert ended == sorted(
        [
            ("workflow:K56:x#0", "1"),
            ("workflow:K56:y#0", "3"),
            (f"workflow:K56:{second[0]}#0", "5"),
        ]
    )


K57 = Program(
    "K57",
    ts="return event.payload;",
    py='return event["payload"]',
    ts_fetch="""
        await env.K57.create({ id: "x" });
        const { created, errors } = await env.K57.createBatch({
          instances: [{ id: "x" }, { id: "q" }, { id: "q" }, {}],
        });
        return Response.json({
          created: created.map((each) => each.id),
          errors: errors.map(({ index, id, code }) => [index, id, code]),
        });
    """,
    py_fetch="""
        await env.K57.create({"id": "x"})
        made = await env.K57.createBatch(
            {"instances": [{"id": "x"}, {"id": "q"}, {"id": "q"}, {}]}
        )
        return Response.json({
            "created": [each.id for each in made["created"]],
            "errors": [[each["index"], each["id"], each["code"]] for each in made["errors"]],
        })
    """,
)


def test_k57_a_batch_as_an_object_tells_what_failed(play: Start) -> None:
    """R-CR-9."""
    run = play(K57, creates=False, requests=(request_for(K57),)).finish()
    assert run.answer["errors"] == [[0, "x", 10_405], [2, "q", 10_415]]
    first, second = run.answer["created"]
    assert first == "q"
    assert second not in ("x", "q")


K58 = Program(
    "K58",
    ts="""
        await step.do("a", async () => { await write("a"); });
        await step.do("b", async () => { await pause(600); await write("b"); return "b"; });
        await step.do("c", async () => { await write("c"); });
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")

        @step.do("b")
        async def b():
            await pause(600)
            await write("b")
            return "b"

        @step.do("c")
        async def c():
            await write("c")
        await a()
        await b()
        await c()
    """,
)


def test_k58_a_pause_waits_for_the_step_under_way(play: Start) -> None:
    """R-LC-1, R-LC-2, R-LC-3, R-DO-5."""
    run = play(K58).until(200)
    run.call("pause")
    assert run.status == "waitingForPause"
    run.until(1_000)
    assert run.status == "paused"
    assert run.writes == [(0, "a"), (600, "b")]
    run.call("resume")
    run.finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert run.writes == [(0, "a"), (600, "b"), (1_000, "c")]
    assert [each.step for each in run.attempts] == ["a", "b", "c"]


def test_k59_a_pause_that_is_taken_back(play: Start) -> None:
    """R-LC-3."""
    run = play(K58).until(200)
    run.call("pause")
    run.until(300)
    run.call("resume")
    assert run.status == "running"
    run.finish()
    assert (run.status, run.ended_ms, run.lifetimes) == ("complete", 600, 1)
    assert run.notes("paused") == []
    assert run.writes == [(0, "a"), (600, "b"), (600, "c")]


def test_k60_terminating_in_the_middle_of_a_step(play: Start) -> None:
    """R-LC-6, R-ST-3, F-LC-2, F-LC-6."""
    run = play(K58).until(200)
    run.call("terminate")
    assert run.status == "terminated"
    run.finish()
    assert run.calls("c") == 0
    shown = run.call("status")
    assert (shown.get("output"), shown.get("error")) == (None, None)
    with pytest.raises(Rejected, match=r"instance\.cannot_terminate"):
        run.call("terminate")


K61 = Program(
    "K61",
    ts="""
        const now = await step.do("now", async () => Date.now() - event.timestamp.getTime());
        return [event.payload, event.timestamp, now];
    """,
    py="""
        @step.do("now")
        async def now():
            return round((datetime.now() - event["timestamp"]).total_seconds() * 1000)
        return [event["payload"], event["timestamp"], await now()]
    """,
)


def test_k61_restarting_a_complete_instance(play: Start) -> None:
    """R-LC-8, R-RUN-4, F-LC-3."""
    run = play(K61, creates=False).until(5_000).create("p").finish()
    payload, timestamp, now = run.output
    assert (payload, now) == ("p", 0)
    run.until(9_000).call("restart")
    run.finish()
    assert run.output == [payload, timestamp, 4_000]
    assert run.calls("now") == 2


def test_r_st_5_the_status_tells_the_last_end(play: Start) -> None:
    """R-ST-5."""
    run = play(K61).finish()
    assert run.call("status")["output"][2] == 0
    run.until(9_000).call("restart")
    assert run.call("status").get("output") is None
    run.finish()
    assert run.call("status")["output"][2] == 9_000


K62 = Program(
    "K62",
    ts="""
        for (const name of ["a", "b", "c"]) {
          await step.do(name, async () => { await write(name); });
        }
    """,
    py="""
        for name in ["a", "b", "c"]:
            @step.do(name)
            async def one():
                await write(name)
            await one()
    """,
)


def test_k62_restarting_from_a_step(play: Start) -> None:
    """R-LC-9."""
    run = play(K62).finish()
    with pytest.raises(Rejected, match=r"instance\.cannot_restart"):
        run.call("restart", {"from": {"name": "unknown"}})
    assert (run.status, run.lifetimes) == ("complete", 1)
    run.call("restart", {"from": {"name": "b"}})
    run.finish()
    assert (run.status, run.lifetimes) == ("complete", 2)
    assert [text for _, text in run.writes] == ["a", "b", "c", "b", "c"]
    assert run.attempts[-2:] == [Attempt("b", 1, 1, 0), Attempt("c", 1, 1, 0)]


K63 = Program(
    "K63",
    ts="""
        await step.sleep("s", "1 second");
        try {
          return (await step.waitForEvent("w", { type: "t", timeout: "1 second" })).payload;
        } catch (error) {
          return error.name;
        }
    """,
    py="""
        await step.sleep("s", "1 second")
        try:
            return (await step.wait_for_event("w", "t", timeout="1 second"))["payload"]
        except Exception as error:
            return error.name
    """,
)


def test_k63_a_restart_forgets_events(play: Start) -> None:
    """R-LC-8, F-EV-12."""
    run = play(K63).until(500)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.call("restart")
    run.finish()
    assert (run.status, run.output, run.ended_ms) == ("complete", "WorkflowTimeoutError", 2_500)
    assert sum(each.kind is RecordKind.START for each in run.records) == 2
