"""Rules of section 2.14 that no conformance case touches."""

from __future__ import annotations

import pytest

from eutaxy._base.value import Plain
from tests.rules.conftest import Start
from tests.rules.play import Rejected
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Finally = Program(
    "Finally",
    ts="""
        try {
          await step.sleep("s", "10 seconds");
        } finally {
          await write("finally");
        }
    """,
    py="""
        try:
            await step.sleep("s", "10 seconds")
        finally:
            await write("finally")
    """,
)


def test_r_lc_5_a_pause_is_not_seen(play: Start) -> None:
    """R-LC-5, DIFF-05."""
    run = play(Finally).until(4_000)
    run.call("pause")
    run.until(6_000)
    assert run.writes == []
    run.call("resume")
    run.finish()
    assert run.writes == [(12_000, "finally")]


@pytest.mark.languages_differ("as a PythonError the engine does not know its own error again")
@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_r_lc_5_but_locally_it_is(play: Start, profile: str) -> None:
    """R-LC-5, DIFF-05."""
    run = play(Finally, profile=profile).until(4_000)
    run.call("pause")
    run.until(6_000)
    assert run.writes == [(4_000, "finally")]


def test_r_lc_1_a_pause_of_what_cannot_pause_does_nothing(play: Start) -> None:
    """R-LC-1, R-LC-3, DIFF-14."""
    run = play(Finally)
    run.call("pause")
    assert run.status == "queued"
    run.until(1_000).call("resume")
    assert run.status == "running"
    run.finish()
    for operation in ("pause", "resume"):
        run.call(operation)
        assert run.status == "complete"


def _of_itself(name: str, ts: str, py: str) -> Program:
    """A step that does something to its own instance, once, a second after its creation."""
    return Program(
        name,
        ts=f"""
            await step.do("a", async () => {{
              await write("before");
              const self = await this.env.{name}.get(event.instanceId);
              if (Date.now() - event.timestamp.getTime() < 2000) {{
                await pause(1000);
                {ts}
              }}
              await write("after");
              return "a";
            }});
            return await step.do("b", async () => {{ await pause(2000); return "b"; }});
        """,
        py=f"""
            @step.do("a")
            async def a():
                await write("before")
                this = await self.env.{name}.get(event["instanceId"])
                if datetime.now() - event["timestamp"] < timedelta(seconds=2):
                    await pause(1000)
                    {py}
                await write("after")
                return "a"

            @step.do("b")
            async def b():
                await pause(2000)
                return "b"
            await a()
            return await b()
        """,
    )


PauseSelf = _of_itself("PauseSelf", "await self.pause();", "await this.pause()")
EndSelf = _of_itself("EndSelf", "await self.terminate();", "await this.terminate()")
DeleteSelf = _of_itself("DeleteSelf", "await self.delete();", "await this.delete()")
RestartSelf = _of_itself(
    "RestartSelf",
    "await pause(1500); await self.restart();",
    "await pause(1500); await this.restart()",
)


def test_r_lc_12_a_step_that_pauses_its_instance_finishes(play: Start) -> None:
    """R-LC-12."""
    run = play(PauseSelf).until(5_000)
    assert (run.status, run.calls("b")) == ("paused", 0)
    assert run.writes == [(0, "before"), (1_000, "after")]
    run.call("resume")
    run.finish()
    assert (run.status, run.output, run.calls("a")) == ("complete", "b", 1)


def test_r_lc_12_a_step_that_terminates_its_instance_stops(play: Start) -> None:
    """R-LC-12, R-LC-6."""
    run = play(EndSelf).finish()
    assert (run.status, run.writes) == ("terminated", [(0, "before")])


def test_r_lc_11_a_step_that_deletes_its_instance_stops(play: Start) -> None:
    """R-LC-11."""
    run = play(DeleteSelf).finish()
    assert run.writes == [(0, "before")]
    with pytest.raises(Rejected, match=r"^Error: instance\.not_found$"):
        run.call("status")
    run.create().until(10_000)
    assert run.calls("a") == 2


def test_r_lc_10_a_step_may_restart_its_instance(play: Start) -> None:
    """R-LC-10, DIFF-21."""
    run = play(RestartSelf).finish()
    assert (run.status, run.output) == ("complete", "b")
    assert run.writes == [(0, "before"), (2_500, "before"), (2_500, "after")]


@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_r_lc_10_but_locally_it_is_stuck(play: Start, profile: str) -> None:
    """R-LC-10, DIFF-21, F-LC-8."""
    run = play(RestartSelf, profile=profile).finish()
    assert (run.status, run.writes) == ("running", [(0, "before")])


Rolled = Program(
    "Rolled",
    ts="""
        await step.do("a", async () => 1, { rollback: async () => { await write("undone"); } });
        await step.sleep("s", "1 minute");
    """,
)


@pytest.mark.node_only("the Python SDK has no rollback options")
@pytest.mark.parametrize("operation", ["delete", "terminate", "restart"])
def test_r_rb_2_what_does_not_roll_back(play: Start, operation: str) -> None:
    """R-RB-2, R-LC-11."""
    run = play(Rolled).until(1_000)
    run.call(operation)
    run.finish()
    assert run.writes == []


Parallel = Program(
    "Parallel",
    ts="""
        const nap = async () => { await step.sleep("nap", "1 hour"); return "nap"; };
        const wait = async () => {
          try {
            return (await step.waitForEvent("w", { type: "t", timeout: "2 hours" })).payload;
          } catch (error) {
            return error.name;
          }
        };
        const retries = { limit: 5, delay: "3 hours" };
        const failing = step.do("f", { retries }, async (ctx) => {
          if (ctx.attempt === 1) throw new Error("no");
          return "f";
        });
        const last = step.do("last", async () => { await pause(1000); return "last"; });
        return await Promise.all([nap(), wait(), failing, last]);
    """,
)


@pytest.mark.node_only("a Python step asks for its turn later than a sleep does")
def test_r_lc_9_restarting_from_a_step_forgets_timers(play: Start) -> None:
    """R-LC-9: all timers and events go; what had started before is kept, and its time is over."""
    run = play(Parallel).until(2_000)
    run.call("restart", {"from": {"name": "last"}})
    run.finish()
    nap, waited, failing, last = run.output
    assert (nap, failing, last) == ("nap", "f", "last")
    assert (waited, run.ended_ms) == ("WorkflowTimeoutError", 7_202_000)
    assert run.times("f") == [0, 2_000]
    assert run.times("last") == [0, 2_000]


Mixed = Program(
    "Mixed",
    ts="""
        await step.do("a", async () => { await write("a"); });
        await step.sleep("a", "10 seconds");
        const first = await step.waitForEvent("a", { type: "t", timeout: "1 minute" });
        await write(first.payload);
        await step.do("a", async () => { await write("again"); });
    """,
    py="""
        @step.do("a")
        async def a():
            await write("a")

        @step.do("a")
        async def again():
            await write("again")
        await a()
        await step.sleep("a", "10 seconds")
        first = await step.wait_for_event("a", "t", timeout="1 minute")
        await write(first["payload"])
        await again()
    """,
)


@pytest.mark.parametrize(
    ("origin", "writes"),
    [
        ({"name": "a"}, [(20_000, "a"), (30_000, "B"), (30_000, "again")]),
        ({"name": "a", "type": "sleep"}, [(30_000, "B"), (30_000, "again")]),
        ({"name": "a", "type": "waitForEvent"}, [(25_000, "B"), (25_000, "again")]),
        ({"name": "a", "count": 2}, [(20_000, "A"), (20_000, "again")]),
    ],
)
def test_r_lc_9_restarting_from_a_sleep_a_wait_or_a_later_step(
    play: Start, origin: dict[str, Plain], writes: list[tuple[int, str]]
) -> None:
    """R-LC-9: what started before is kept, and buffered events are gone."""
    run = play(Mixed).until(11_000)
    for payload in ("A", "rest"):
        run.call("sendEvent", {"type": "t", "payload": payload})
    run.until(20_000)
    assert run.writes == [(0, "a"), (11_000, "A"), (11_000, "again")]
    run.call("restart", {"from": origin})
    run.until(20_001)
    if run.status != "complete":
        assert [text for _, text in run.writes[3:]] in (["a"], [])
        run.until(25_000).call("sendEvent", {"type": "t", "payload": "B"})
    run.finish()
    assert run.status == "complete"
    assert run.writes[3:] == writes


@pytest.mark.parametrize(
    "origin",
    [{"name": "a", "count": 3}, {"name": "b"}, {"name": "a", "type": "sleep", "count": 2}, {}],
)
def test_r_lc_9_what_did_not_start_is_no_origin(play: Start, origin: dict[str, Plain]) -> None:
    """R-LC-9."""
    run = play(Mixed).until(11_000)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.until(20_000)
    with pytest.raises(Rejected, match=r"instance\.cannot_restart"):
        run.call("restart", {"from": origin})
    assert (run.status, run.lifetimes) == ("complete", 1)
