"""Rules of section 2 that no conformance case touches: results, ends, status, creation."""

from __future__ import annotations

import pytest

from eutaxy._base.value import Plain
from tests.rules.conftest import Start
from tests.rules.play import Rejected
from tests.rules.programs import Program

pytestmark = pytest.mark.host

Throws = Program(
    "Throws",
    ts="""
        const left = step.do("left", async () => { await pause(400); await write("left"); });
        await pause(100);
        throw new NonRetryableError("m");
    """,
)


@pytest.mark.node_only("what leaves run() of a Python Worker is a PythonError")
def test_r_nr_4_run_itself_throws_it(play: Start) -> None:
    """R-NR-4, R-NR-2: siblings are cut off."""
    run = play(Throws).finish()
    assert run.error == ("NonRetryableError", "m")
    assert (run.ended_ms, run.writes) == (100, [])


Unstorable = Program(
    "Unstorable",
    ts="""
        const circle = {};
        circle.self = circle;
        const values = {
          symbol: () => Symbol("s"), function: () => () => {}, nested: () => ({ f() {} }),
          promise: () => ({ p: Promise.resolve() }), response: () => new Response(""),
          weak: () => new WeakMap(),
        };
        try {
          await step.do("a", { retries: { limit: 1, delay: 0 } }, async () => values[event.payload]());
        } catch (error) {
          return "caught";
        }
        return "stored";
    """,
)


@pytest.mark.node_only("Python values that cannot cross fail in the SDK, by other rules")
@pytest.mark.parametrize("what", ["symbol", "function", "nested", "promise", "response", "weak"])
def test_r_res_3_whatever_cannot_be_stored_ends_the_instance(play: Start, what: str) -> None:
    """R-RES-2, R-RES-3, DIFF-10."""
    run = play(Unstorable, params=what).finish()
    assert (run.status, run.calls("a")) == ("errored", 1)
    assert run.error[0] == "WorkflowFatalError"


@pytest.mark.node_only("Python values that cannot cross fail in the SDK, by other rules")
def test_r_res_3_but_locally_a_symbol_is_an_ordinary_failure(play: Start) -> None:
    """R-RES-3, DIFF-10."""
    run = play(Unstorable, params="symbol", profile="local-2026-11").finish()
    assert (run.output, run.calls("a")) == ("caught", 2)


Stored = Program(
    "Stored",
    ts="""
        const circle = { n: 1 };
        circle.self = circle;
        const found = await step.do("a", async () => ({
          nothing: undefined, when: new Date(5), map: new Map([["k", new Set([1])]]),
          bytes: new Uint8Array([1, 2]), big: 12n, nan: NaN, error: new TypeError("t"),
        }));
        await step.sleep("long", "10 minutes");
        return [
          "nothing" in found, found.when.getTime(), found.map.get("k").has(1), found.bytes[1],
          typeof found.big, Number.isNaN(found.nan), found.error instanceof TypeError,
        ];
    """,
    py="""
        @step.do("a")
        async def a():
            return {"none": None, "set": {1}, "bytes": b"12", "big": 2**60, "nan": float("nan")}
        found = await a()
        await step.sleep("long", "10 minutes")
        return [
            found["none"] is None, 1 in found["set"], bytes(found["bytes"])[1],
            found["big"] == 2**60, found["nan"] != found["nan"],
        ]
    """,
)


@pytest.mark.languages_differ("the twins return what each language has")
def test_r_res_1_what_can_be_stored(play: Start) -> None:
    """R-RES-1: the same after a replay."""
    run = play(Stored).finish()
    assert run.lifetimes == 2
    if run.language == "node":
        assert run.output == [True, 5, True, 2, "bigint", True, True]
    else:
        assert run.output == [True, True, ord("2"), True, True]


Stream = Program(
    "Stream",
    ts="""
        const config = { timeout: "2 seconds", retries: { limit: 0, delay: 0 } };
        const stream = await step.do("a", config, async () => {
          await write("a");
          const body = event.payload === "text" ? ["a", "b"] : [new Uint8Array([97]), new Uint8Array([98])];
          return new ReadableStream({
            async pull(controller) {
              if (event.payload === "slow") await pause(1000);
              const chunk = body.shift();
              if (chunk === undefined) controller.close();
              else controller.enqueue(chunk);
            },
          });
        });
        const text = await new Response(stream).text();
        await step.sleep("long", "10 minutes");
        return text;
    """,
)


@pytest.mark.node_only("a Python Worker would return a JavaScript object")
def test_r_res_5_a_stream_of_bytes(play: Start) -> None:
    """R-RES-5: `run` is given a new stream in each lifetime."""
    run = play(Stream, params="bytes").finish()
    assert (run.status, run.output, run.lifetimes) == ("complete", "ab", 2)
    assert run.writes == [(0, "a")]


@pytest.mark.node_only("a Python Worker would return a JavaScript object")
def test_r_to_1_the_timeout_covers_the_stream(play: Start) -> None:
    """R-TO-1, R-RES-5."""
    run = play(Stream, params="slow").finish()
    assert run.failed("WorkflowTimeoutError", "Execution timed out after 2000ms")
    assert run.ended_ms == 2_000


@pytest.mark.node_only("a Python Worker would return a JavaScript object")
def test_r_res_5_a_stream_of_something_else(play: Start) -> None:
    """R-RES-5, R-RES-2: not retried and not caught."""
    run = play(Stream, params="text").finish()
    assert (run.status, run.error[0], run.calls("a")) == ("errored", "WorkflowFatalError", 1)


Outputs = Program(
    "Outputs",
    ts="""
        const circle = {};
        circle.self = circle;
        const values = { nothing: undefined, date: new Date(5), function: () => {}, symbol: Symbol("s") };
        return values[event.payload];
    """,
)


@pytest.mark.node_only("a Python Worker has no undefined and no symbols")
@pytest.mark.parametrize(
    ("what", "status", "output"),
    [
        ("nothing", "complete", None),
        ("date", "complete", {"$": "date", "of": 5}),
        ("function", "errored", None),
        ("symbol", "errored", None),
    ],
)
def test_r_res_6_what_run_returns(play: Start, what: str, status: str, output: object) -> None:
    """R-RES-6, R-ST-3."""
    shown = play(Outputs, params=what).finish().call("status")
    assert (shown["status"], shown.get("output")) == (status, output)
    assert ("error" in shown) == (status == "errored")


Undone = Program(
    "Undone",
    ts="""
        await step.do("a", async () => 1, { rollback: async () => { await pause(1000); } });
        throw new Error("no");
    """,
)


@pytest.mark.node_only("the Python SDK has no rollback options")
def test_r_st_2_while_handlers_run(play: Start) -> None:
    """R-ST-2, R-RB-10: no compatibility flag is set."""
    run = play(Undone).until(500)
    assert run.call("status")["status"] == "running"
    assert run.call("status")["rollback"] is None
    run.finish()
    assert run.call("status")["status"] == "errored"
    assert run.call("status")["rollback"] == {"outcome": "complete", "error": None}


Simple = Program(
    "Simple",
    ts="return [event.instanceId, event.workflowName, event.payload];",
    py='return [event["instanceId"], event["workflowName"], event["payload"]]',
)


def test_r_cr_1_the_body_starts_later(play: Start) -> None:
    """R-CR-1, R-ST-4: `create` answers with a handle, and the instance is queued."""
    run = play(Simple, creates=False, engine={"names": {"Simple": "simple-flow"}})
    assert run.call("create", {"id": "i"}) == {"id": "i"}
    assert run.call("status") == {"status": "queued", "rollback": None}
    assert run.lifetimes == 0
    run.finish()
    assert run.output == ["i", "simple-flow", {}]


def test_r_cr_3_an_existing_id_changed_nothing_in_august(play: Start) -> None:
    """R-CR-3, DIFF-01: a handle and no error; the payload of the first stays."""
    run = play(Simple, params=1, profile="local-2026-08")
    assert run.call("create", {"id": "i", "params": 2}) == {"id": "i"}
    run.finish()
    assert run.call("create", {"id": "i", "params": 3}) == {"id": "i"}
    run.finish()
    assert (run.output, run.lifetimes) == (["i", "Simple", 1], 1)


def test_r_cr_4_an_acknowledged_instance_is_there(play: Start) -> None:
    """R-CR-4: durable before the answer; no fault loses it."""
    run = play(Simple).finish()
    assert run.call("get") == {"id": "i"}


def test_r_cr_10_an_existing_id_fails_no_batch(play: Start) -> None:
    """R-CR-10, R-CR-12: entries are created one by one, in order."""
    run = play(Simple, params=1)
    made = run.call("createBatch", [{"id": "i", "params": 2}, {"id": "j", "params": 3}])
    assert made == [{"id": "j"}]
    run.finish()
    assert run.output[-1] == 1


@pytest.mark.parametrize(
    "batch",
    [
        {},
        {"count": 2, "instances": [{"id": "x"}]},
        {"count": 0},
        {"count": 1.5},
        {"count": 101},
        {"instances": []},
        {"instances": [{"id": "x"}] * 101},
        {"instances": [{"id": "x"}, {"id": "no id!"}]},
        {"instances": [{"id": "x"}, {"id": "batch"}]},
        {"instances": [{"id": "x"}, {"id": "cf_" + "0" * 64}]},
        {"instances": [{"id": "x"}, {"retention": {"successRetention": -1}}]},
        {"instances": [{"id": "x"}, {"retention": {"errorRetention": "soon"}}]},
        {"count": 1, "retention": {"unknown": 1}},
        [],
        [{"id": "x"}] * 101,
        [{"id": "x"}, {"id": "terminate"}],
    ],
)
def test_r_cr_9_what_refuses_a_whole_batch(play: Start, batch: Plain) -> None:
    """R-CR-8, R-CR-9: before anything is created."""
    run = play(Simple, creates=False)
    with pytest.raises(Rejected):
        run.call("createBatch", batch)
    run.finish()
    assert run.records == []


@pytest.mark.parametrize(
    "batch",
    [
        {"count": 2, "params": 1},
        {"instances": [{"retention": {"successRetention": "1 day", "errorRetention": 1000}}, {}]},
        [{}, {}],
    ],
)
def test_r_cr_9_what_does_not(play: Start, batch: Plain) -> None:
    """R-CR-8, R-CR-9."""
    run = play(Simple, creates=False)
    made = run.call("createBatch", batch)
    assert len(made if isinstance(made, list) else made["created"]) == 2
    run.finish()
    assert run.lifetimes == 2


@pytest.mark.parametrize("name", ["batch", "terminate", "terminateAll", "cf_" + "a" * 64, "-x", ""])
def test_r_cr_1_ids_that_cannot_be(play: Start, name: str) -> None:
    """R-CR-1: ids of another form, and reserved ones, are refused (1.2)."""
    run = play(Simple, creates=False)
    with pytest.raises(Rejected, match="invalid id"):
        run.call("create", {"id": name})


def test_r_cr_11_params_too_large(play: Start) -> None:
    """R-CR-11: params of more than 1 MiB are refused, alone and in a batch."""
    run = play(Simple, creates=False)
    with pytest.raises(Rejected):
        run.create("x" * 2**20)
    with pytest.raises(Rejected):
        run.call("createBatch", [{"id": "i", "params": "x" * 2**20}])
