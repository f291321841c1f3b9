"""Rules of section 2 that no conformance case touches: identity, steps, delays, timeouts, waits."""

from __future__ import annotations

import pytest

from tests.rules.conftest import Start
from tests.rules.play import Attempt
from tests.rules.programs import Program

pytestmark = pytest.mark.host

LATER_TS = "const isLater = Date.now() - event.timestamp.getTime() > 2000;"
LATER_PY = 'is_later = datetime.now() - event["timestamp"] > timedelta(seconds=2)'

Longer = Program(
    "Longer",
    ts=f"""
        {LATER_TS}
        await step.sleep("s", isLater ? 20_000 : 10_000);
        await write("awake");
    """,
    py=f"""
        {LATER_PY}
        await step.sleep("s", 20_000 if is_later else 10_000)
        await write("awake")
    """,
)


def test_r_id_2_a_sleep_is_known_by_its_name(play: Start) -> None:
    """R-ID-2, DIFF-04: another duration in a later lifetime changes nothing."""
    run = play(Longer).until(4_000).strike("crash_idle").finish()
    assert run.writes == [(10_000, "awake")]


@pytest.mark.parametrize("profile", ["local-2026-08", "local-2026-11"])
def test_r_id_2_but_locally_by_its_duration_too(play: Start, profile: str) -> None:
    """R-ID-2, DIFF-04."""
    run = play(Longer, profile=profile).until(4_000).strike("crash_idle")
    run.call("sendEvent", {"type": "wake", "payload": 1})
    run.finish()
    assert run.writes == [(24_000, "awake")]


Typed = Program(
    "Typed",
    ts=f"""
        {LATER_TS}
        const options = {{ type: isLater ? "u" : "t", timeout: "1 minute" }};
        const first = await step.waitForEvent("w", options);
        await step.sleep("s", 10_000);
        const second = await step.waitForEvent("w", options);
        return [first.payload, second.payload];
    """,
    py=f"""
        {LATER_PY}
        kind = "u" if is_later else "t"
        first = await step.wait_for_event("w", kind, timeout="1 minute")
        await step.sleep("s", 10_000)
        second = await step.wait_for_event("w", kind, timeout="1 minute")
        return [first["payload"], second["payload"]]
    """,
)


def test_r_id_3_a_wait_is_known_by_name_and_count(play: Start) -> None:
    """R-ID-3: the first wait returns its stored event though its type has changed."""
    run = play(Typed).until(1_000)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.until(4_000).strike("crash_idle").until(20_000)
    run.call("sendEvent", {"type": "u", "payload": "B"})
    run.finish()
    assert run.output == ["A", "B"]


Kinds = Program(
    "Kinds",
    ts="""
        await step.sleep("z", 1000);
        await step.do("z1000", async () => { await write("z1000"); });
        await step.do("x-1", async () => { await write("x-1"); });
        const found = await step.waitForEvent("x", { type: "t", timeout: "1 minute" });
        await step.do("x", async () => { await write("x"); });
        return found.payload;
    """,
    py="""
        def writing(name):
            @step.do(name)
            async def one():
                await write(name)
            return one()
        await step.sleep("z", 1000)
        await writing("z1000")
        await writing("x-1")
        found = await step.wait_for_event("x", "t", timeout="1 minute")
        await writing("x")
        return found["payload"]
    """,
)


def test_r_id_4_the_kinds_are_apart(play: Start) -> None:
    """R-ID-4, DIFF-16."""
    run = play(Kinds).until(2_000)
    run.call("sendEvent", {"type": "t", "payload": "A"})
    run.finish()
    assert (run.status, run.output) == ("complete", "A")
    assert [text for _, text in run.writes] == ["z1000", "x-1", "x"]


Changed = Program(
    "Changed",
    ts="""
        const kept = { n: 1 };
        const found = await step.do("a", async () => kept);
        kept.n = 2;
        const before = found.n;
        found.n = 3;
        await step.sleep("long", "10 minutes");
        return [before, found.n];
    """,
    py="""
        kept = {"n": 1}

        @step.do("a")
        async def a():
            return kept
        found = await a()
        kept["n"] = 2
        before = found["n"]
        found["n"] = 3
        await step.sleep("long", "10 minutes")
        return [before, found["n"]]
    """,
)


def test_r_do_3_a_result_is_a_copy(play: Start) -> None:
    """R-DO-3: what `run` does to it lasts until the next replay, which is given the stored value
    and does the same to it again."""
    run = play(Changed).finish()
    assert run.lifetimes == 2
    assert run.output == [1, 3]
    replayed = run.notes("step a replayed")
    assert [each.answer for each in replayed][:1] == ['{"n":1}']


Delays = Program(
    "Delays",
    ts="""
        const odd = {
          nonsense: "5minutes", negative: -5, infinite: Infinity, object: {}, yes: true,
          nothing: null, empty: "", text: "3 seconds", number: 4000,
        };
        const delay = () => odd[event.payload];
        const retries = { limit: 1, delay, backoff: "constant" };
        await step.do("a", { retries }, async () => { throw new Error("no"); });
    """,
)
NO_FUNCTIONS = "the Python SDK cannot pass a function as a delay"


@pytest.mark.node_only(NO_FUNCTIONS)
@pytest.mark.parametrize("odd", ["nonsense", "negative", "infinite", "object"])
def test_r_dly_4_an_invalid_delay_fails_the_step(play: Start, odd: str) -> None:
    """R-DLY-4."""
    run = play(Delays, params=odd).finish()
    assert (run.calls("a"), run.error[0]) == (1, "NonRetryableDelayError")


@pytest.mark.node_only(NO_FUNCTIONS)
@pytest.mark.parametrize(
    ("written", "ms"), [("nothing", 0), ("empty", 0), ("text", 3_000), ("number", 4_000)]
)
def test_r_dly_4_a_valid_one_is_waited(play: Start, written: str, ms: int) -> None:
    """R-DLY-4: null and the empty text count as 0."""
    run = play(Delays, params=written).finish()
    assert run.times("a") == [0, ms]
    assert run.failed("Error", "no")


@pytest.mark.node_only(NO_FUNCTIONS)
def test_r_dly_5_a_crash_keeps_the_computed_delay(play: Start) -> None:
    """R-DLY-5."""
    run = play(Delays, params="text").until(2_000).strike("crash_idle").finish()
    assert run.times("a") == [0, 3_000]


Many = Program(
    "Many",
    ts="""
        for (const index of [1, 2, 3]) {
          await step.do("s" + index, async () => {});
          await step.sleep("n" + index, 10);
          await step.waitForEvent("w" + index, { type: "t", timeout: "1 minute" });
        }
        return "done";
    """,
    py="""
        for index in [1, 2, 3]:
            @step.do(f"s{index}")
            async def s():
                pass
            await s()
            await step.sleep(f"n{index}", 10)
            await step.wait_for_event(f"w{index}", "t", timeout="1 minute")
        return "done"
    """,
)


def test_r_ev_9_waits_and_sleeps_are_no_steps(play: Start) -> None:
    """R-EV-9, R-SL-3, R-LIM-1: three steps, three sleeps and three waits fit a limit of three."""
    run = play(Many, engine={"steps_max": {"Many": 3}})
    for _ in range(3):
        run.call("sendEvent", {"type": "t", "payload": 1})
    run.finish()
    assert (run.status, run.output) == ("complete", "done")


Bounds = Program(
    "Bounds",
    ts="""
        try {
          if (event.payload === "sleep") await step.sleep("s", "366 days");
          const retries = { limit: 10_001, delay: 0 };
          if (event.payload === "retries") await step.do("a", { retries }, async () => {});
        } catch (error) {
          return "refused";
        }
        return "accepted";
    """,
    py="""
        @step.do("a", config={"retries": {"limit": 10_001, "delay": 0}})
        async def a():
            pass
        try:
            if event["payload"] == "sleep":
                await step.sleep("s", "366 days")
            if event["payload"] == "retries":
                await a()
        except Exception:
            return "refused"
        return "accepted"
    """,
)


@pytest.mark.parametrize("what", ["sleep", "retries"])
@pytest.mark.parametrize(
    ("profile", "answer"), [("prod", "refused"), ("local-2026-11", "accepted")]
)
def test_r_sl_3_and_r_rt_6_limits_of_production(
    play: Start, what: str, profile: str, answer: str
) -> None:
    """R-SL-3, R-RT-6."""
    run = play(Bounds, params=what, profile=profile).finish()
    assert run.output == answer


Inside = Program(
    "Inside",
    ts="""
        const config = { timeout: "5 seconds", retries: { limit: 1, delay: 0 } };
        await step.do("outer", config, async (ctx) => {
          await step.sleep("s", ctx.attempt === 1 ? 10_000 : 1_000);
          await write("slept");
          return ctx.attempt;
        });
        await step.sleep("t", 20_000);
    """,
    py="""
        @step.do("outer", config={"timeout": "5 seconds", "retries": {"limit": 1, "delay": 0}})
        async def outer(ctx):
            await step.sleep("s", 10_000 if ctx["attempt"] == 1 else 1_000)
            await write("slept")
            return ctx["attempt"]
        await outer()
        await step.sleep("t", 20_000)
    """,
)


def test_r_nest_3_sleeping_inside_a_step(play: Start) -> None:
    """R-NEST-3, R-NEST-1: the outer timeout goes on; the first callback goes on too."""
    run = play(Inside).finish()
    assert (run.times("outer"), run.ended_ms) == ([0, 5_000], 26_000)
    assert run.writes == [(6_000, "slept"), (10_000, "slept")]


Days = Program(
    "Days",
    ts="""
        await step.do("a", { timeout: "30 days" }, async () => {
          await pause(20 * 86_400_000);
          await write("done");
        });
    """,
    py="""
        @step.do("a", config={"timeout": "30 days"})
        async def a():
            await pause(20 * 86_400_000)
            await write("done")
        await a()
    """,
)


def test_r_to_5_a_step_may_take_days(play: Start) -> None:
    """R-TO-5: neither a limit of its own nor the five minutes of a wait end it."""
    run = play(Days).finish()
    assert (run.status, run.lifetimes, run.calls("a")) == ("complete", 1, 1)
    assert run.writes == [(20 * 86_400_000, "done")]


Whole = Program(
    "Whole",
    ts="""
        const config = { timeout: "10 seconds", retries: { limit: 0, delay: 0 } };
        return await step.do("a", config, async () => { await pause(9_000); return "done"; });
    """,
    py="""
        @step.do("a", config={"timeout": "10 seconds", "retries": {"limit": 0, "delay": 0}})
        async def a():
            await pause(9_000)
            return "done"
        return await a()
    """,
)


def test_r_to_6_a_crash_gives_the_whole_timeout_back(play: Start) -> None:
    """R-TO-6, R-RT-4."""
    run = play(Whole).until(8_000).strike("crash_idle").finish()
    assert run.attempts == [Attempt("a", 1, 1, 0), Attempt("a", 1, 2, 8_000)]
    assert (run.output, run.ended_ms) == ("done", 17_000)


Refused = Program(
    "Refused",
    ts="""
        const told = [];
        const attempt = async (work) => {
          try { told.push(await work()); } catch (error) { told.push(error.message.split(" ")[1]); }
        };
        await attempt(() => step.do("bad\\n", async () => "bad"));
        await attempt(() => step.do("bad", { timeout: -1 }, async () => "bad"));
        await attempt(() => step.do("a", async () => "a"));
        await attempt(() => step.do("bad\\n", async () => "bad"));
        await attempt(() => step.do("b", async () => "b"));
        return told;
    """,
)


@pytest.mark.node_only("the Python SDK builds the call in another way")
def test_r_lim_1_a_refused_step_counts(play: Start) -> None:
    """R-LIM-1: the limit is looked at before the name and the config (2.2, point 1)."""
    run = play(Refused, engine={"steps_max": {"Refused": 3}}).finish()
    assert run.output == ["name", "config", "a", "limit", "limit"]
