"""Subscriptions to an instance: what they tell, when, and how they end (R-SUB-1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eutaxy._platform.workflows.profile import LOCAL_2026_11, PROD, Profile
from tests.rules.conftest import Start
from tests.rules.play import Play, request_for
from tests.rules.programs import Program

pytestmark = pytest.mark.host

_TS_HEAR = """
async function hear(instance, options) {
  const heard = [];
  try {
    const subscription = await instance.subscribe(options);
    for (;;) {
      const { done, value } = await subscription.next();
      if (done) return [...heard, "done"];
      heard.push(value.type);
    }
  } catch (error) {
    return [...heard, error.message];
  }
}
"""
_PY_HEAR = """
async def hear(instance, **options):
    heard = []
    try:
        subscription = await instance.subscribe(**options)
        while True:
            told = await subscription.next()
            if told.done:
                return [*heard, "done"]
            heard.append(told.value.type)
    except Exception as error:
        return [*heard, str(error).removeprefix("Error: ")]
"""

Step = Program(
    "Step",
    ts="""
    await step.do("a", async () => 1);
    await step.sleep("nap", 60_000);
    return "end";
    """,
    py="""
    @step.do("a")
    async def a():
        return 1
    await a()
    await step.sleep("nap", 60_000)
    return "end"
    """,
    ts_head=_TS_HEAR,
    py_head=_PY_HEAR,
    ts_fetch="""
    const instance = await env.Step.get("i");
    return Response.json([await hear(instance), await hear(instance, { cursor: 7 })]);
    """,
    py_fetch="""
    instance = await env.Step.get("i")
    return Response.json([await hear(instance), await hear(instance, cursor=7)])
    """,
)
Filtered = Program(
    "Filtered",
    ts="""
    await step.do("a", async () => 1);
    await step.sleep("nap", 1_000);
    """,
    py="""
    @step.do("a")
    async def a():
        return 1
    await a()
    await step.sleep("nap", 1_000)
    """,
    ts_fetch="""
    const instance = await env.Filtered.get("i");
    return Response.json([
      await hear(instance, { filter: ["sleep_completed"] }),
      await hear(instance, { filter: [] }),
      await hear(instance, { filter: ["nonsense"] }),
      await hear(instance, { cursor: -1 }),
      await hear(instance, { since: 1 }),
    ]);
    """,
    py_fetch="""
    from pyodide.ffi import to_js
    instance = await env.Filtered.get("i")
    return Response.json([
        await hear(instance, filter=to_js(["sleep_completed"])),
        await hear(instance, filter=to_js([])),
        await hear(instance, filter=to_js(["nonsense"])),
        await hear(instance, cursor=-1),
        await hear(instance, since=1),
    ])
    """,
)
Times = Program(
    "Times",
    ts="""await step.sleep("nap", 5_000);""",
    py="""await step.sleep("nap", 5_000)""",
    ts_fetch="""
    const subscription = await (await env.Times.get("i")).subscribe({ cursor: 3 });
    const first = (await subscription.next()).value;
    const second = (await subscription.next()).value;
    return Response.json([first.eventId, second.eventId, second.timestamp - first.timestamp]);
    """,
    py_fetch="""
    subscription = await (await env.Times.get("i")).subscribe(cursor=3)
    first = (await subscription.next()).value
    second = (await subscription.next()).value
    return Response.json([first.eventId, second.eventId, second.timestamp - first.timestamp])
    """,
)

Broken = Program(
    "Broken",
    ts="return 1;",
    py="return 1",
    ts_fetch="""
    const instance = await env.Broken.get("i");
    const subscription = await instance.subscribe();
    const told = [(await subscription.next()).value.eventId];
    for (const _ of [1, 2]) await subscription.next().catch((error) => told.push(error.message));
    const other = await instance.subscribe({ cursor: 1 });
    return Response.json([...told, (await other.next()).value.eventId]);
    """,
    py_fetch="""
    instance = await env.Broken.get("i")
    subscription = await instance.subscribe()
    told = [(await subscription.next()).value.eventId]
    for _ in [1, 2]:
        try:
            await subscription.next()
        except Exception as error:
            told.append(str(error).removeprefix("Error: "))
    other = await instance.subscribe(cursor=1)
    return Response.json([*told, (await other.next()).value.eventId])
    """,
)
Long = Program(
    "Long",
    ts="""await step.sleep("nap", "1 hour");""",
    py="""await step.sleep("nap", "1 hour")""",
    ts_fetch="""return Response.json([await hear(await env.Long.get("i"))]);""",
    py_fetch="""return Response.json([await hear(await env.Long.get("i"))])""",
)

Watching = Program(
    "Watching",
    ts="""
    if (event.payload !== "watch") {
      await step.sleep("nap", 120_000);
      return;
    }
    const other = await this.env.Watching.create({ params: "other" });
    const subscription = await other.subscribe({ filter: ["sleep_completed"] });
    const { value } = await subscription.next();
    return [value.instanceId, other.id];
    """,
    py="""
    if event["payload"] != "watch":
        await step.sleep("nap", 120_000)
        return
    from pyodide.ffi import to_js
    other = await self.env.Watching.create(params="other")
    subscription = await other.subscribe(filter=to_js(["sleep_completed"]))
    told = await subscription.next()
    return [told.value.instanceId, other.id]
    """,
)

WAKING = replace(LOCAL_2026_11, engine_wakes=True)
BEGUN = ["workflow_queued", "workflow_started", "workflow_running"]
STEP = ["step_started", "attempt_started", "attempt_completed", "step_completed"]
LOST = "Network connection lost."


def subscribed(play: Start, program: Program, **more: Any) -> Play:
    return play(program, requests=(request_for(program),), **more)


def test_r_sub_1_what_has_happened_and_what_happens(play: Start) -> None:
    """R-SUB-1: the request waits for the end, a minute later; a cursor leaves out what it names."""
    run = subscribed(play, Step).finish()
    end = ["sleep_started", "sleep_completed", "workflow_completed", "done"]
    assert run.answer == [[*BEGUN, *STEP, *end], end]
    assert run.now_ms == 60_000


def test_r_sub_1_filters_and_bad_options(play: Start) -> None:
    """R-SUB-1: a subscription ends with the instance, also when the end is filtered out."""
    bad = ["Invalid Workflow subscription options"]
    assert subscribed(play, Filtered).finish().answer == [
        ["sleep_completed", "done"],
        ["done"],
        bad,
        bad,
        bad,
    ]


def test_r_sub_1_numbers_and_times(play: Start) -> None:
    """R-SUB-1: numbers rise by one; times are those of what happened."""
    assert subscribed(play, Times).finish().answer == [4, 5, 5_000]


def test_r_sub_1_a_crash_of_the_engine_breaks_subscriptions(play: Start) -> None:
    """R-SUB-1: whoever waits for an event hears of a failure; a new subscription goes on."""
    run = subscribed(play, Step).until(1_000).strike("crash_idle").finish()
    first, second = run.answer
    assert first == [*BEGUN, *STEP, "sleep_started", LOST]
    assert second == ["sleep_started", "sleep_completed", "workflow_completed", "done"]


@pytest.mark.parametrize(
    ("operation", "then"),
    [
        ("delete", ["instance.not_found"]),
        ("restart", ["sleep_started", "sleep_completed", "workflow_completed", "done"]),
    ],
)
def test_r_sub_1_an_instance_that_begins_anew_breaks_subscriptions(
    play: Start, operation: str, then: list[str]
) -> None:
    """R-SUB-1, R-LC-8, R-LC-11: a restart empties the log, and numbers begin at 1 again."""
    run = subscribed(play, Step).until(1_000)
    run.call(operation)
    run.finish()
    first, second = run.answer
    assert first == [*BEGUN, *STEP, "sleep_started", LOST]
    assert second == then


def test_r_sub_1_a_lost_event_breaks_the_subscription(play: Start) -> None:
    """R-SUB-1: it fails from then on; another one after the same cursor tells what was lost."""
    run = subscribed(play, Broken).strike("request_lost", "next", nth=2).finish()
    assert run.answer == [1, LOST, LOST, 2]


@pytest.mark.parametrize(
    ("profile", "told"),
    [(PROD, ["attempt_errored", "attempt_started"]), (WAKING, ["attempt_started"])],
    ids=["prod", "local"],
)
def test_diff_18_an_attempt_that_was_cut_off(
    play: Start, profile: Profile, told: list[str]
) -> None:
    """DIFF-18, R-SUB-1: production tells that it failed."""
    run = play(Step, requests=(request_for(Step, after_ms=600_000),), profile=profile)
    run.strike("crash_after", "step_start").finish()
    told = ["step_started", "attempt_started", *told, "attempt_completed", "step_completed"]
    end = ["sleep_started", "sleep_completed", "workflow_completed", "done"]
    assert run.answer[0] == [*BEGUN, *told, *end]


def test_r_sub_1_a_suspension_is_told(play: Start) -> None:
    """R-SUB-1, R-HIB-1: production tells of it, and the subscription lives on."""
    run = subscribed(play, Long).finish()
    assert run.answer == [
        [
            *BEGUN,
            "sleep_started",
            "workflow_waiting",
            "workflow_running",
            "sleep_completed",
            "workflow_completed",
            "done",
        ]
    ]


def test_r_sub_1_what_a_lost_lifetime_asked_for_is_answered_to_nobody(play: Start) -> None:
    """R-SUB-1: the next lifetime listens to another instance at the same place of its code."""
    run = play(Watching, params="watch").until(60_000)
    run.choose("workflow/Watching/i CrashIdle", fate="crash_idle").finish()
    heard, own = run.output
    assert heard == own
