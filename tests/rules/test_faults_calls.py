"""Fault points of creation, events, lifecycle calls and rollback (4.2)."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.explore import explore
from tests.rules.play import Play, Rejected, request_for
from tests.rules.programs import Program

pytestmark = pytest.mark.host


def _calling(name: str, ts: str, py: str) -> Program:
    """A Worker whose handler does something up to twice, and answers how often and how."""
    return Program(
        name,
        ts=_TS_RUN,
        py=_PY_RUN,
        ts_fetch=f"""
            const errors = [];
            while (errors.length < 2) {{
              try {{
                const found = await (async () => {{ {ts} }})();
                return Response.json({{ found: found ?? null, errors }});
              }} catch (error) {{
                errors.push(error.message);
              }}
            }}
            return Response.json({{ errors }});
        """,
        py_fetch=f"""
            errors = []
            while len(errors) < 2:
                try:
                    found = await ({py})
                    return Response.json({{"found": found, "errors": errors}})
                except Exception as error:
                    errors.append(error.message)
            return Response.json({{"errors": errors}})
        """,
    )


_TS_RUN = """
    await step.do("a", async () => { await write("a"); });
    await step.sleep("s", "1 minute");
    await step.do("b", async () => { await write("b"); });
"""
_PY_RUN = """
    @step.do("a")
    async def a():
        await write("a")

    @step.do("b")
    async def b():
        await write("b")
    await a()
    await step.sleep("s", "1 minute")
    await b()
"""
LOST = "Network connection lost."
EXISTS = "instance.already_exists"

Create = _calling(
    "Create",
    'return (await env.Create.create({ id: "i" })).id;',
    'named(env.Create.create({"id": "i"}))',
)
Named = Program(
    "Named",
    ts="",
    py="return None",
    py_head="""
        async def named(making):
            return (await making).id


        async def each_named(making):
            return [each.id for each in await making]


        async def nothing(calling):
            await (await calling)
    """,
)
Batch = _calling(
    "Batch",
    'return (await env.Batch.createBatch([{ id: "x" }, { id: "y" }])).map((each) => each.id);',
    'each_named(env.Batch.createBatch([{"id": "x"}, {"id": "y"}]))',
)


def test_f_cr_1_a_create_is_lost(play: Start) -> None:
    """F-CR-1: nothing was created, so the retry creates."""
    run = play(Create, creates=False, requests=(request_for(Create),))
    run.strike("request_lost", "create").finish()
    assert run.answer == {"found": "i", "errors": [LOST]}
    assert run.lifetimes == 1


def test_f_cr_3_a_trigger_comes_twice(play: Start) -> None:
    """F-CR-3: a chosen id makes the second create fail."""
    run = play(Create, creates=False, requests=(request_for(Create),)).until(1_000)
    assert run.answer == {"found": "i", "errors": []}
    run.redeliver().finish()
    assert all(EXISTS in each for each in run.answer["errors"])
    assert len(run.answer["errors"]) == 2
    assert run.lifetimes == 1


def test_f_cr_6_the_caller_crashes_after_create(play: Start) -> None:
    """F-CR-6: its client's retry finds that the instance exists."""
    run = play(Create, creates=False, requests=(request_for(Create),))
    run.strike("crash_after", "create").redeliver().finish()
    assert all(EXISTS in each for each in run.answer["errors"])
    assert (run.status, run.lifetimes) == ("complete", 1)


def test_f_cr_7_the_answer_of_a_batch_is_lost(play: Start) -> None:
    """F-CR-7: the array form of the retry leaves out what the first call created."""
    run = play(Batch, creates=False, requests=(request_for(Batch),))
    run.strike("answer_lost", "createBatch").finish()
    assert run.answer == {"found": [], "errors": [LOST]}
    assert run.lifetimes == 2


def test_f_cr_7_a_batch_is_cut_in_the_middle(play: Start) -> None:
    """F-CR-7, R-CR-12: the retry creates the rest, and tells of no more than that."""
    run = play(Batch, creates=False, requests=(request_for(Batch),))
    run.choose("Deliver").choose("Act(", fate="Fate.CUT_SHORT").finish()
    assert run.answer == {"found": ["y"], "errors": [LOST]}
    assert run.lifetimes == 2


Concurrent = Program(
    "Concurrent",
    ts="return event.payload;",
    py='return event["payload"]',
    ts_fetch="""
        const made = await Promise.allSettled(
          [1, 2].map((params) => env.Concurrent.create({ id: "i", params })),
        );
        return Response.json(made.map((each) => each.status));
    """,
    py_fetch="""
        made = await asyncio.gather(
            *(env.Concurrent.create({"id": "i", "params": n}) for n in [1, 2]),
            return_exceptions=True,
        )
        return Response.json(
            ["rejected" if isinstance(each, Exception) else "fulfilled" for each in made]
        )
    """,
)


def test_f_cr_4_two_creates_at_once(play: Start) -> None:
    """F-CR-4, R-CR-5: exactly one succeeds, whichever it is."""
    run = play(Concurrent, creates=False, requests=(request_for(Concurrent),))
    found = explore(run, faults=0, look=Play.params_in)
    assert found.ends == {"1", "2"}
    run.finish()
    assert sorted(run.answer) == ["fulfilled", "rejected"]


Events = Program(
    "Events",
    ts="""
        const options = { type: "t", timeout: "1 minute" };
        const first = await step.waitForEvent("w1", options);
        const second = await step.waitForEvent("w2", options);
        await write(first.payload + second.payload);
        return first.payload + second.payload;
    """,
    py="""
        first = await step.wait_for_event("w1", "t", timeout="1 minute")
        second = await step.wait_for_event("w2", "t", timeout="1 minute")
        await write(first["payload"] + second["payload"])
        return first["payload"] + second["payload"]
    """,
    ts_fetch="""
        const instance = await env.Events.get("i");
        await Promise.all(["A", "B"].map((payload) => instance.sendEvent({ type: "t", payload })));
        return new Response("sent");
    """,
    py_fetch="""
        instance = await env.Events.get("i")
        await asyncio.gather(
            *(instance.send_event({"type": "t", "payload": each}) for each in ["A", "B"])
        )
        return Response("sent")
    """,
)


def test_f_ev_9_events_overtake_each_other(play: Start) -> None:
    """F-EV-9: in order of arrival, which may be either."""
    run = play(Events, requests=(request_for(Events, after_ms=1_000),))
    assert explore(run, faults=0, look=Play.output_in).ends == {"AB", "BA"}


def test_f_ev_2_an_event_is_lost(play: Start) -> None:
    """F-EV-2: nothing is stored, the sender sees an error."""
    run = play(Events, requests=(request_for(Events, after_ms=1_000),))
    run.strike("request_lost", "sendEvent").finish()
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 60000ms")


def test_f_ev_1_an_event_for_no_instance(play: Start) -> None:
    """F-EV-1."""
    run = play(Events, creates=False)
    with pytest.raises(Rejected, match=r"instance\.not_found"):
        run.call("sendEvent", {"type": "t", "payload": "A"})
    run.create().until(1_000)
    assert run.status != "complete"


def test_f_ev_5_crash_after_the_event_was_handed_over(play: Start) -> None:
    """F-EV-5, R-EV-4: the wait is given the same event again, and no other."""
    run = play(Events).until(1_000)
    for payload in ("A", "B"):
        run.call("sendEvent", {"type": "t", "payload": payload})
    run.strike("crash_before", "Fetch:log POST").finish()
    assert (run.output, run.lifetimes) == ("AB", 2)
    assert run.writes == [(1_000, "AB")]


def test_f_ev_10_an_event_for_a_paused_instance(play: Start) -> None:
    """F-EV-10, R-EV-7."""
    run = play(Events).until(1_000)
    run.call("pause")
    for payload in ("A", "B"):
        run.call("sendEvent", {"type": "t", "payload": payload})
    run.until(90_000)
    assert (run.status, run.writes) == ("paused", [])
    run.call("resume")
    run.finish()
    assert run.writes == [(90_000, "AB")]


def test_f_ev_7_an_event_at_the_deadline(play: Start) -> None:
    """F-EV-7, R-EV-6: either the event or the timeout, and a losing event stays."""
    run = play(Events).until(60_000, settles=False)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.finish()
    assert [each.text for each in run.notes("w1")][:2] == ["waitForEvent w1", "event w1 received"]
    late = play(Events).until(60_000)
    with pytest.raises(Rejected):
        late.call("sendEvent", {"type": "t", "payload": "A"})
    assert late.failed("WorkflowTimeoutError", "Execution timed out after 60000ms")


Pause = _calling(
    "Pause",
    'await (await env.Pause.get("i")).pause();',
    "nothing(method(env.Pause, 'pause'))",
)
Delete = _calling(
    "Delete",
    'await (await env.Delete.get("i")).delete();',
    "nothing(method(env.Delete, 'delete'))",
)
Restart = _calling(
    "Restart",
    'await (await env.Restart.get("i")).restart();',
    "nothing(method(env.Restart, 'restart'))",
)
Terminate = _calling(
    "Terminate",
    'await (await env.Terminate.get("i")).terminate();',
    "nothing(method(env.Terminate, 'terminate'))",
)
Method = Program(
    "Method",
    ts="",
    py="return None",
    py_head="""
        async def method(binding, name):
            return getattr(await binding.get("i"), name)()
    """,
)


def _retried(play: Start, program: Program, operation: str) -> Play:
    run: Play = play(program, requests=(request_for(program, after_ms=1_000),))
    return run.strike("answer_lost", operation)


def test_f_lc_1_pausing_again_changes_nothing(play: Start) -> None:
    """F-LC-1."""
    run = _retried(play, Pause, "pause").finish()
    assert run.answer["errors"] == [LOST]
    assert run.status == "paused"


def test_f_lc_2_terminating_again_is_refused(play: Start) -> None:
    """F-LC-2."""
    run = _retried(play, Terminate, "terminate").finish()
    [lost, refused] = run.answer["errors"]
    assert lost == LOST
    assert "instance.cannot_terminate" in refused
    assert run.status == "terminated"


def test_f_lc_3_restarting_again_restarts_again(play: Start) -> None:
    """F-LC-3: what the first restart did is forgotten and done again."""
    run = _retried(play, Restart, "restart").choose("Start()")
    run.choose("StartAttempt").choose("Act(fiber='a").finish()
    assert run.answer["errors"] == [LOST]
    assert (run.status, run.lifetimes) == ("complete", 3)
    assert run.writes == [(0, "a"), (1_000, "a"), (1_000, "a"), (61_000, "b")]


def test_f_lc_4_deleting_again_finds_nothing(play: Start) -> None:
    """F-LC-4, R-LC-11."""
    run = _retried(play, Delete, "delete").finish()
    [lost, gone] = run.answer["errors"]
    assert (lost, gone) == (LOST, "instance.not_found")


Slow = Program(
    "Slow",
    ts="""
        await step.do("a", async () => { await pause(600); await write("a"); });
        return "done";
    """,
    py="""
        @step.do("a")
        async def a():
            await pause(600)
            await write("a")
        await a()
        return "done"
    """,
)


def test_f_lc_5_crash_while_waiting_to_pause(play: Start) -> None:
    """F-LC-5, R-HIB-3."""
    run = play(Slow).until(200)
    run.call("pause")
    run.strike("crash_idle").until(2_000)
    assert (run.status, run.writes) == ("paused", [])
    run.call("resume")
    run.finish()
    assert [(each.number, each.at_ms) for each in run.attempts] == [(1, 0), (2, 2_000)]
    assert run.writes == [(2_600, "a")]


Chatty = Program(
    "Chatty",
    ts="""
        await step.do("a", async () => { await write("one"); await write("two"); });
        await step.do("b", async () => { await write("b"); });
    """,
    py="""
        @step.do("a")
        async def a():
            await write("one")
            await write("two")

        @step.do("b")
        async def b():
            await write("b")
        await a()
        await b()
    """,
)


def _with_call_under_way(play: Start, profile: str = "prod") -> Play:
    run: Play = play(Chatty, profile=profile)
    return run.choose("Start()").choose("StartAttempt")


def test_f_lc_6_a_callback_outlives_its_terminated_instance(play: Start) -> None:
    """F-LC-6, F-DO-13, R-LC-6, DIFF-22: it goes on, unheard, and no further step begins."""
    run = _with_call_under_way(play)
    run.call("terminate")
    run.finish()
    assert run.status == "terminated"
    assert run.writes == [(0, "one"), (0, "two")]
    assert run.calls("b") == 0


def test_f_lc_6_but_locally_it_is_cut_off(play: Start) -> None:
    """R-LC-6, DIFF-22."""
    run = _with_call_under_way(play, "local-2026-11")
    run.call("terminate")
    run.finish()
    assert (run.status, run.writes) == ("terminated", [])


@pytest.mark.parametrize("operation", ["restart", "delete"])
def test_f_lc_7_a_call_under_way_lands_later(play: Start, operation: str) -> None:
    """F-LC-7, F-DO-13: also after the new run has begun."""
    run = _with_call_under_way(play)
    run.call(operation)
    assert run.writes == []
    run.finish()
    assert sorted(text for _, text in run.writes) == (
        ["b", "one", "one", "two"] if operation == "restart" else ["one"]
    )
    assert [each.text for each in run.records if each.kind.value == "landed"] == ["Fetch:log POST"]


def test_f_lc_7_but_locally_it_is_cut_off(play: Start) -> None:
    """R-LC-8, DIFF-22."""
    run = _with_call_under_way(play, "local-2026-11")
    run.call("restart")
    run.finish()
    assert [text for _, text in run.writes] == ["one", "two", "b"]
