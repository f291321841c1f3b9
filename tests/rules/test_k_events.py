"""Conformance cases K-37 to K-45: events."""

from __future__ import annotations

import pytest

from eutaxy._base.value import Plain
from tests.rules.conftest import Start
from tests.rules.play import Play, Rejected, request_for
from tests.rules.programs import Program

pytestmark = pytest.mark.host


def send(run: Play, payload: Plain, kind: str = "t") -> None:
    run.call("sendEvent", {"type": kind, "payload": payload})


K37 = Program(
    "K37",
    ts="""
        await step.sleep("s", "10 seconds");
        const found = await step.waitForEvent("w", { type: "t", timeout: "24 hours" });
        await write(`${found.type} ${found.payload}`);
    """,
    py="""
        await step.sleep("s", "10 seconds")
        found = await step.wait_for_event("w", "t")
        await write(f"{found['type']} {found['payload']}")
    """,
)


def test_k37_an_event_before_its_wait(play: Start) -> None:
    """R-EV-2."""
    run = play(K37).until(1_000)
    send(run, "A")
    run.finish()
    assert run.status == "complete"
    assert run.writes == [(10_000, "t A")]


K38 = Program(
    "K38",
    ts="""
        const wait = (name) => step.waitForEvent(name, { type: "t", timeout: "1 second" });
        await write((await wait("w1")).payload);
        await write((await wait("w2")).payload);
        try {
          await wait("w3");
        } catch (error) {
          await write(error.name);
        }
    """,
    py="""
        def wait(name):
            return step.wait_for_event(name, "t", timeout="1 second")
        await write((await wait("w1"))["payload"])
        await write((await wait("w2"))["payload"])
        try:
            await wait("w3")
        except Exception as error:
            await write(error.name)
    """,
)


def test_k38_three_waits_two_events(play: Start) -> None:
    """R-EV-1, R-EV-2, R-EV-5."""
    run = play(K38)
    send(run, "A")
    send(run, "B")
    run.finish()
    assert run.status == "complete"
    assert run.writes == [(0, "A"), (0, "B"), (1_000, "WorkflowTimeoutError")]


K39 = Program(
    "K39",
    ts="""
        const options = { type: "t", timeout: "24 hours" };
        const wait = async (name) => (await step.waitForEvent(name, options)).payload;
        return await Promise.all([wait("first"), wait("second")]);
    """,
    py="""
        async def wait(name):
            return (await step.wait_for_event(name, "t"))["payload"]
        return await asyncio.gather(wait("first"), wait("second"))
    """,
)


def test_k39_parallel_waits_take_events_in_order(play: Start) -> None:
    """R-EV-1, R-EV-3."""
    run = play(K39).until(1_000)
    send(run, "A")
    run.until(2_000)
    assert run.status != "complete"
    send(run, "B")
    run.finish()
    assert (run.status, run.output) == ("complete", ["A", "B"])


K40 = Program(
    "K40",
    ts='await step.waitForEvent("w", { type: "t" });',
    py='await step.wait_for_event("w", "t")',
)


@pytest.mark.languages_differ(
    "the Python SDK always passes the timeout on: its default is the same"
)
def test_k40_a_wait_ends_after_a_day(play: Start) -> None:
    """R-EV-5."""
    run = play(K40).finish()
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 86400000ms")
    assert run.ended_ms == 86_400_000


K41 = Program(
    "K41",
    ts="""
        try {
          await step.waitForEvent("w1", { type: "t", timeout: 1000 });
        } catch (error) {
          await write(error.name);
        }
        await write((await step.waitForEvent("w2", { type: "t", timeout: 5000 })).payload);
    """,
    py="""
        try:
            await step.wait_for_event("w1", "t", timeout=1000)
        except Exception as error:
            await write(error.name)
        await write((await step.wait_for_event("w2", "t", timeout=5000))["payload"])
    """,
)


def test_k41_a_late_event_answers_the_next_wait(play: Start) -> None:
    """R-EV-5, F-EV-8."""
    run = play(K41).until(1_500)
    send(run, "late")
    run.finish()
    assert run.status == "complete"
    assert run.writes == [(1_000, "WorkflowTimeoutError"), (1_500, "late")]


K42 = Program(
    "K42",
    ts="""
        const first = await step.waitForEvent("w1", { type: "t", timeout: "24 hours" });
        const second = await step.waitForEvent("w2", { type: "t", timeout: "24 hours" });
        return [first.payload, second.payload];
    """,
    py="""
        first = await step.wait_for_event("w1", "t")
        second = await step.wait_for_event("w2", "t")
        return [first["payload"], second["payload"]]
    """,
    ts_fetch="""
        const instance = await env.K42.get("i");
        const sent = { type: "t", payload: "A" };
        try {
          await instance.sendEvent(sent);
        } catch {
          await instance.sendEvent(sent);
        }
        return new Response("sent");
    """,
    py_fetch="""
        instance = await env.K42.get("i")
        sent = {"type": "t", "payload": "A"}
        try:
            await instance.send_event(sent)
        except Exception:
            await instance.send_event(sent)
        return Response("sent")
    """,
)


def test_k42_a_retried_event_comes_twice(play: Start) -> None:
    """R-EV-1: nothing is deduplicated. F-EV-3."""
    run = play(K42, requests=(request_for(K42, after_ms=1_000),))
    run.strike("answer_lost", "sendEvent").finish()
    assert (run.status, run.output) == ("complete", ["A", "A"])


def test_k42_without_the_loss_one_event_is_missing(play: Start) -> None:
    """R-EV-3."""
    run = play(K42, requests=(request_for(K42, after_ms=1_000),)).finish()
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 86400000ms")


K43 = Program(
    "K43",
    ts="""
        const day = { type: "t", timeout: "24 hours" };
        await write((await step.waitForEvent("w1", day)).payload);
        try {
          await write((await step.waitForEvent("w2", { type: "t", timeout: 5000 })).payload);
        } catch (error) {
          await write(error.name);
        }
    """,
    py="""
        await write((await step.wait_for_event("w1", "t"))["payload"])
        try:
            await write((await step.wait_for_event("w2", "t", timeout=5000))["payload"])
        except Exception as error:
            await write(error.name)
    """,
)


def test_k43_an_event_is_taken_once(play: Start) -> None:
    """R-EV-4, R-EV-10."""
    run = play(K43).until(1_000)
    send(run, "A")
    run.until(2_000).strike("crash_idle").finish()
    # The first wait is long enough to end a lifetime too.
    assert (run.status, run.lifetimes) == ("complete", 3)
    # Outside any step, so once in each lifetime that comes by.
    assert run.writes == [(1_000, "A"), (2_000, "A"), (6_000, "WorkflowTimeoutError")]


@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_k43_but_locally_it_comes_back(play: Start, profile: str) -> None:
    """R-EV-10, DIFF-07, F-EV-6."""
    run = play(K43, profile=profile).until(1_000)
    send(run, "A")
    run.until(2_000).strike("crash_idle").until(3_000)
    send(run, "wake", "other")
    run.finish()
    assert run.status == "complete"
    assert run.writes == [(1_000, "A"), (3_000, "A"), (3_000, "A")]


K44 = Program(
    "K44",
    ts="""
        try {
          await write((await step.waitForEvent("w", { type: "t", timeout: 10_000 })).payload);
        } catch (error) {
          await write(error.name);
        }
        await write((await step.waitForEvent("next", { type: "t", timeout: 10_000 })).payload);
    """,
    py="""
        try:
            await write((await step.wait_for_event("w", "t", timeout=10_000))["payload"])
        except Exception as error:
            await write(error.name)
        await write((await step.wait_for_event("next", "t", timeout=10_000))["payload"])
    """,
)


def test_k44_an_event_stored_in_time_wins(play: Start) -> None:
    """R-EV-6, F-EV-4, F-EV-7."""
    run = play(K44, down_ms=15_000).until(5_000)
    send(run, "A")
    run.strike("crash_idle").until(25_000)
    assert run.writes == [(20_000, "A")]
    run.finish()
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 10000ms")


@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_k44_but_locally_the_deadline_does(play: Start, profile: str) -> None:
    """R-EV-6."""
    run = play(K44, profile=profile).until(5_000)
    send(run, "A")
    run.strike("crash_idle").until(20_000)
    send(run, "wake", "other")
    run.finish()
    assert run.status == "complete"
    assert run.writes == [(20_000, "WorkflowTimeoutError"), (20_000, "A")]


K45 = Program("K45", ts="return 1;", py="return 1")


def test_k45_an_event_for_an_instance_that_has_ended(play: Start) -> None:
    """R-EV-8, F-EV-11."""
    run = play(K45).finish()
    with pytest.raises(Rejected):
        send(run, "A")
    assert run.status == "complete"


@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_k45_but_locally_nobody_says_so(play: Start, profile: str) -> None:
    """R-EV-8, DIFF-08."""
    run = play(K45, profile=profile).finish()
    send(run, "A")
    run.finish()
    assert (run.status, run.output) == ("complete", 1)
