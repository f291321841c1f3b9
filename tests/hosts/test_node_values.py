"""Values that cross between user code and the model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hosts.node_world import RunWorld, effects, invoked, only, outcome, returned, threw

pytestmark = pytest.mark.host

ECHO = """
exports.Job = class extends WorkflowEntrypoint {
  async run(event, step) { return step.do("s", () => 1); }
};
"""

CROSSING = [
    None,
    True,
    "t\u00e9xt \u2028 \U0001f600",
    12.5,
    -3,
    1e21,
    {"$": "undefined"},
    {"$": "number", "of": "NaN"},
    {"$": "number", "of": "-Infinity"},
    {"$": "number", "of": "-0"},
    {"$": "bigint", "of": "123456789012345678901234567890"},
    {"$": "date", "of": 1_790_000_000_123},
    {"$": "date", "of": None},
    {"$": "map", "of": [["a", 1], [{"k": 1}, {"$": "undefined"}]]},
    {"$": "set", "of": [1, "1"]},
    {"$": "bytes", "as": "Uint8Array", "of": "AAH/"},
    {"$": "bytes", "as": "ArrayBuffer", "of": ""},
    {"$": "bytes", "as": "Float64Array", "of": "AAAAAAAA8D8="},
    {"$": "bytes", "as": "DataView", "of": "AA=="},
    {"$": "regexp", "source": "a\\/b", "flags": "gi"},
    {"$": "error", "name": "Error", "message": ""},
    {"$": "error", "name": "Custom", "message": "m", "of": {"code": 7, "list": [1]}},
    {"$": "error", "name": "TypeError", "message": "m", "class": "TypeError"},
    {"$": "error", "name": "AbortError", "message": "m", "class": "DOMException"},
    {
        "$": "error",
        "name": "AggregateError",
        "message": "m",
        "class": "AggregateError",
        "of": {"errors": [{"$": "error", "name": "Error", "message": "in"}]},
    },
    {"$": "boxed", "of": 7},
    {"$": "boxed", "of": "text"},
    {"$": "object", "of": [["$", "date"], ["of", 5]]},
    {"b": 1, "a": [[], {}], "__proto__": {"x": 1}},
    # The object is number 0, the list 1, the inner object 2.
    {"list": [{"back": {"$": "ref", "to": 0}}, {"$": "ref", "to": 2}]},
    {"$": "map", "of": [[{"n": 1}, {"$": "ref", "to": 1}]]},
]


@pytest.mark.parametrize("tree", CROSSING, ids=[json.dumps(each)[:40] for each in CROSSING])
def test_values_go_in_and_come_out_equal(share_in_node: RunWorld, tree: Any) -> None:
    answer = share_in_node(ECHO).job(returned(0, 1, tree))
    text = only(answer["reactions"])["returned"]
    assert text == json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def test_values_are_real_objects(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run({ payload, timestamp, instanceId, workflowName }, step) {
            const [date, map, set, bytes, error, undef, big, cycle, re] = payload;
            return [
              date instanceof Date && date.getTime(), map instanceof Map && map.get("k"),
              set instanceof Set && set.size, bytes instanceof Uint16Array && bytes[0],
              error instanceof TypeError && Object.keys(error).join(), undef === undefined,
              typeof big, cycle.me === cycle, re.test("AB"),
              timestamp instanceof Date && timestamp.getTime(), instanceId, workflowName,
            ];
          }
        };""")
    payload = [
        {"$": "date", "of": 5},
        {"$": "map", "of": [["k", "v"]]},
        {"$": "set", "of": [1, 2]},
        {"$": "bytes", "as": "Uint16Array", "of": "AQI="},
        {"$": "error", "name": "TypeError", "message": "m", "class": "TypeError", "of": {"a": 1}},
        {"$": "undefined"},
        {"$": "bigint", "of": "1"},
        {"me": {"$": "ref", "to": 7}},
        {"$": "regexp", "source": "ab", "flags": "i"},
    ]
    answer = world.job(payload=payload)
    _, value = outcome(answer)
    assert value == [
        5,
        "v",
        2,
        513,
        "a",
        True,
        "bigint",
        True,
        True,
        1_790_000_000_000,
        "job-1",
        "jobs",
    ]


UNCLONEABLE = [
    ("() => {}", "function (anonymous)"),
    ("{ deep: [function named() {}] }", "function named"),
    ("Symbol('s')", "Symbol(s)"),
    ("new (class Order { id = 1; })()", "an object of class Order"),
    ("new Response('x')", "an object of class Response"),
    ("Promise.resolve(1) && { p: Promise.resolve(1) }", "an object of class Promise"),
    ("new WeakMap()", "an object of class WeakMap"),
    ("new Proxy({}, {})", "a Proxy"),
    ("new ReadableStream()", "an object of class ReadableStream"),
]


@pytest.mark.parametrize("number", range(len(UNCLONEABLE)), ids=[each[0] for each in UNCLONEABLE])
def test_what_cannot_be_cloned_is_named(share_in_node: RunWorld, number: int) -> None:
    makers = ", ".join(f"() => ({made})" for made, _ in UNCLONEABLE)
    world = share_in_node(
        f"exports.Job = class extends WorkflowEntrypoint {{"
        f"async run({{ payload }}) {{ return [{makers}][payload](); }} }};"
    )
    kind, error = outcome(world.job(payload=number))
    what = UNCLONEABLE[number][1]
    assert (kind, error["name"], error["of"]) == ("threw", "DataCloneError", {"notCloneable": what})


STREAMS = {
    'new Response("h\u00e9").body': {"$": "stream", "of": "aMOp"},
    "streamOf([])": {"$": "stream", "of": ""},
    "streamOf([new Uint16Array([1]), new Uint8Array([2, 3]).buffer])": {
        "$": "stream",
        "of": "AQACAw==",
    },
    'streamOf(["te", new Uint8Array([120]), "t"])': {
        "$": "stream",
        "of": "dGV4dA==",
        "chunks": "text",
    },
}
UNREADABLE = {
    "streamOf([7])": "unsupported chunk type",
    "streamOf([new DataView(new ArrayBuffer(1))])": "unsupported chunk type",
    "streamOf([new Uint8Array(16 * 1024 * 1024 + 1)])": "larger than the maximum",
    "locked()": "already locked",
    'new ReadableStream({ start(c) { c.error(new Error("torn")); } })': "torn",
}


def streaming(makers: list[str]) -> str:
    return f"""
        function streamOf(chunks) {{
          return new ReadableStream({{
            start(c) {{ for (const chunk of chunks) c.enqueue(chunk); c.close(); }},
          }});
        }}
        function locked() {{
          const stream = streamOf([]);
          stream.getReader();
          return stream;
        }}
        const makers = [{", ".join(f"() => {each}" for each in makers)}];
        exports.Job = class extends WorkflowEntrypoint {{
          async run({{ payload }}, step) {{
            const stream = await step.do("s", async () => makers[payload]());
            return [stream instanceof ReadableStream, await new Response(stream).text()];
          }}
        }};"""


@pytest.mark.parametrize("number", range(len(STREAMS)), ids=list(STREAMS))
def test_a_stream_from_a_step_is_read_to_its_end(share_in_node: RunWorld, number: int) -> None:
    """R-RES-5: what is stored is its bytes."""
    world = share_in_node(streaming([*STREAMS, *UNREADABLE]))
    expected = list(STREAMS.values())[number]
    assert outcome(world.job(invoked(0, 1), payload=number), fiber=1) == ("returned", expected)


def test_a_stored_stream_comes_back_as_a_new_one(share_in_node: RunWorld) -> None:
    world = share_in_node(streaming([*STREAMS, *UNREADABLE]))
    for stored, text in (("aMOp", "h\u00e9"), ("", "")):
        tree = {"$": "stream", "of": stored}
        assert outcome(world.job(returned(0, 1, tree), payload=0)) == ("returned", [True, text])


@pytest.mark.parametrize("number", range(len(UNREADABLE)), ids=list(UNREADABLE))
def test_a_stream_that_cannot_be_read_says_why(share_in_node: RunWorld, number: int) -> None:
    world = share_in_node(streaming([*STREAMS, *UNREADABLE]))
    answer = world.job(invoked(0, 1), payload=len(STREAMS) + number)
    kind, error = outcome(answer, fiber=1)
    assert (kind, error["of"]) == ("threw", {"notCloneable": "a ReadableStream"})
    assert list(UNREADABLE.values())[number] in error["message"]


def test_thrown_values(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        class Refused extends Error {
          constructor(message) { super(message, { cause: { n: 1 } }); this.name = "Refused"; this.code = 9; this.retry = () => 1; }
        }
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            void step.do("a", () => { throw new Refused("no"); });
            void step.do("b", () => { throw "text"; });
            void step.do("c", () => { throw { plain: true }; });
            void step.do("d", () => null.x);
            void step.do("e", () => { throw undefined; });
            void step.do("f", () => { throw () => 1; });
          }
        };""")
    thrown = [outcome(world.job(invoked(0, number)), fiber=1) for number in range(1, 7)]
    assert [kind for kind, _ in thrown] == ["threw"] * 6
    message = "Cannot read properties of null (reading 'x')"
    assert [value for _, value in thrown[:5]] == [
        # The function among its properties is left out; the rest of the error survives.
        {"$": "error", "name": "Refused", "message": "no", "of": {"cause": {"n": 1}, "code": 9}},
        "text",
        {"plain": True},
        {"$": "error", "name": "TypeError", "message": message, "class": "TypeError"},
        {"$": "undefined"},
    ]
    assert thrown[5][1]["name"] == "DataCloneError"


def test_a_thrown_error_brings_its_stack_in_the_bundle(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        function deep() { throw new Error("here"); }
        exports.Job = class Job extends WorkflowEntrypoint { async run() { deep(); } };""")
    reaction = only(world.job()["reactions"])
    assert reaction["stack"].splitlines() == [
        "Error: here",
        "    at deep (worker.js:3:33)",
        "    at Job.run (worker.js:4:76)",
    ]


def test_what_the_callback_changes_later_is_not_seen(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = {
          async fetch(request, env) {
            const options = { id: "a" };
            const made = env.JOBS.create(options);
            options.id = "b";
            await made;
          },
        };""")
    assert only(effects(world.request()))["args"] == {"options": {"id": "a"}}


def test_a_thrown_answer_need_not_be_an_error(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) { try { await step.do("s", () => 1); } catch (e) { return [typeof e, e]; } }
        };""")
    move = {"fiber": 0, "answer": 1, "threw": '"text"', "now": 0}
    assert outcome(world.job(move)) == ("returned", ["string", "text"])
    assert outcome(world.job(threw(0, 1, "m")))[1][0] == "object"
