"""Equal questions have equal answers, and the machine is out of reach."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from eutaxy._hosts.node import NodeHost
from tests.hosts.node_world import (
    EPOCH_MS,
    WORKFLOW,
    RunWorld,
    handlers_of,
    job_entry,
    request_entry,
    returned,
    worlds,
    write_bundle,
)

pytestmark = pytest.mark.host

BUSY = """
let served = 0;
exports.default = { async fetch(request, env) {
  served += 1;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("x"));
  const wait = scheduler.wait(5);
  const form = new FormData(); form.append("k", "v"); form.append("f", new Blob(["z"]));
  const r = await fetch("https://x.example/", { method: "POST", body: form });
  console.log("got", r.status, [new Date(), new Error("e").stack], Math.random());
  const zipped = await new Response(new Blob(["z"]).stream().pipeThrough(new CompressionStream("deflate"))).text();
  await wait;
  return Response.json([served, crypto.randomUUID(), Date.now(), hash.byteLength, zipped.length]);
} };
exports.Job = class extends WorkflowEntrypoint {
  async run(event, step) { served += 1; await step.do("n" + served, () => 1); return event.payload; }
};
"""

MOVES = [returned(0, 2, {"status": 200, "headers": {}, "body": ""}, now=7), returned(0, 1, now=9)]


def questions() -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    request = request_entry(salt="s", now=5)
    asked = [(request, MOVES[:count]) for count in range(3)]
    return [*asked, (job_entry(payload=1), []), (job_entry(payload=2), [returned(0, 1)])]


def test_equal_questions_have_equal_answers_in_any_order_and_process(
    run_in_node: RunWorld, node: str, tmp_path: Path
) -> None:
    host = run_in_node(BUSY).host
    first = [json.dumps(host.evaluate(*question)) for question in questions()]
    backwards = [json.dumps(host.evaluate(*question)) for question in reversed(questions())]
    assert backwards[::-1] == first
    (tmp_path / "second").mkdir()
    with worlds(node, tmp_path / "second") as start:
        other = start(BUSY).host
        assert [json.dumps(other.evaluate(*question)) for question in questions()] == first
    # The answers are answers to the point, not equal emptiness.
    assert '\\"served' not in first[2]
    assert '[1,\\\\\\"' in first[2]
    assert '"n1"' in first[3]


def test_a_warm_evaluation_runs_in_the_isolate_that_served_last(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        let served = 0;
        globalThis.kept ??= 0;
        exports.default = { fetch() { served += 1; kept += 1; return Response.json([served, kept]); } };""")
    assert world.body() == [1, 1]
    assert world.body() == [1, 1]
    assert world.body(warm=True) == [2, 2]
    assert world.body(warm=True) == [3, 3]
    assert world.body() == [1, 1]


POLLUTIONS = [
    "globalThis.leak = 1",
    "globalThis.fetch = () => 1",
    "Array.prototype.leak = 1",
    "Object.prototype.leak = 1",
    "Response.prototype.text = () => 'replaced'",
    "Date.now = () => 1",
    "Math.random = () => 1",
    "Promise.prototype.then2 = 1",
    "JSON.leak = 1",
    "delete globalThis.WebAssembly",
    "Object.setPrototypeOf(Math, { leak: 1 })",
    "Error.stackTraceLimit = 1",
    "Error.prepareStackTrace = () => 'x'",
    "Object.defineProperty(Headers.prototype, 'get', { get() { return 1; } })",
    "console.log = () => {}",
    "crypto.randomUUID = () => 'u'",
    "crypto.subtle.digest = () => 'u'",
    "Object.getPrototypeOf(async () => {}).leak = 1",
    "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })",
    "Intl.NumberFormat.prototype.format = 1",
    "globalThis.Buffer = 1",
    "Object.defineProperty(globalThis, Symbol.for('leak'), { value: 1 })",
    "Object.defineProperties(Array.prototype, { leak: { value: 1 } })",
    "Reflect.defineProperty(Math, 'PI2', { get: () => 1 })",
    "require('node:util').inspect.defaultOptions.depth = 0, require('node:util').leak = 1",
    "require('node:path').posix.sep = 'x'",
    "/(a)(b)/.exec('ab')",
]


# Answers a request with the whole realm, as far as it can be listed.
LISTING = """
const util = require("node:util"), path = require("node:path");
const skipped = ["caches", "Cloudflare"];
const nameOf = (value) => typeof value === "object" ? "" : String(value?.name) + String(value);
const realm = () => {
  const matched = [RegExp.$1, RegExp.$2];
  const seen = new Set(), lines = [];
  const visit = (name, value) => {
    const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
    if (!isObject || seen.has(value) || name.split(".").length > 4) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      const d = Object.getOwnPropertyDescriptor(value, key);
      lines.push([name, String(key), typeof d.value, typeof d.get, nameOf(d.value)].join(" "));
      if ("value" in d && !skipped.includes(key)) visit(name + "." + String(key), d.value);
    }
    visit(name + ".proto", Object.getPrototypeOf(value));
  };
  visit("global", globalThis); visit("util", util); visit("path", path);
  visit("async", async () => {}); visit("iterator", [][Symbol.iterator]());
  lines.push(matched.join());
  lines.push(typeof Buffer, typeof globalThis.Buffer);
  return lines.sort().join("\\n");
};
exports.default = { async fetch(request) {
  if (request.method === "POST") [POLLUTERS][new URL(request.url).search.slice(1)]();
  return new Response(realm());
} };
"""


@pytest.mark.parametrize("number", range(len(POLLUTIONS)), ids=POLLUTIONS)
def test_changes_of_the_realm_end_with_the_evaluation(share_in_node: RunWorld, number: int) -> None:
    polluters = ", ".join(f"() => {{ {pollution}; }}" for pollution in POLLUTIONS)
    world = share_in_node(LISTING.replace("POLLUTERS", polluters), flags=["nodejs_compat"])
    before = world.request()["reactions"][0]["returned"]
    assert len(before) > 20_000
    child = world.host._process._child
    url = f"https://worker.example/?{number}"
    polluted = world.request(url=url, method="POST")["reactions"][0]
    assert polluted.get("returned") != before
    assert world.request()["reactions"][0]["returned"] == before
    # Undone, not escaped from by a new process.
    assert world.host._process._child is child


def test_a_realm_that_cannot_be_restored_is_replaced(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { fetch(request) {
          if (request.method === "POST") { Object.freeze(Array.prototype); Object.freeze(globalThis); }
          return Response.json([Object.isFrozen(Array.prototype), Object.isExtensible(globalThis)]);
        } };""")
    assert world.body(method="POST") == [True, False]
    assert world.body() == [False, True]


def test_globals_can_be_replaced_and_polyfilled_for_the_whole_bundle(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        globalThis.Buffer = { from: () => "own" };
        globalThis.extra = 1;
        const native = globalThis.fetch;
        globalThis.fetch = (url) => native(url + "?patched");
        exports.default = { async fetch() {
          console.log(Buffer.from(), extra, self === globalThis, typeof process);
          await fetch("https://x.example/");
        } };""")
    answer = world.request()
    assert answer["prints"] == ["own 1 true undefined"]
    assert "?patched" in answer["reactions"][0]["effects"][0]["args"]


ESCAPES = [
    "Function('return 1')()",
    "(() => {}).constructor('return process')()",
    "(async () => {}).constructor('return 1')()",
    "(0, eval)('1')",
    "globalThis.process.binding('fs')",
    "globalThis[Symbol.for('undici.globalDispatcher.1')].request",
    "(function () { return this; })().process.env",
    "it.constructor._load('fs')",
    "require.main.require('fs')",
    "(function f() { return f.caller.arguments; })()",
]


@pytest.mark.parametrize("number", range(len(ESCAPES)), ids=ESCAPES)
def test_ways_out_are_closed(share_in_node: RunWorld, number: int) -> None:
    tried = [
        f"(() => {{ try {{ return {each}; }} catch (e) {{ return e.name; }} }})()"
        for each in ESCAPES
    ]
    world = share_in_node(handlers_of(tried, before="const it = module;"))
    got = world.body(url=f"https://worker.example/?{number}")
    assert got in {"EvalError", "TypeError", "ReferenceError"}


def test_stack_frames_lead_nowhere(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { fetch() {
          Error.stackTraceLimit = 100;
          Error.prepareStackTrace = (_, frames) => frames;
          const { stack } = new Error();
          return Response.json([stack.length > 3, stack.every((f) => f.getThis() === undefined && f.getFunction() === undefined)]);
        } };""")
    assert world.body() == [True, True]


def test_files_processes_and_network_are_closed_by_the_process_itself(
    node: str, tmp_path: Path
) -> None:
    # As if user code had got hold of everything that the host modules have.
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    bundle = write_bundle(tmp_path, "")
    host = NodeHost(node, bundle, {"JOBS": WORKFLOW}, epoch_ms=EPOCH_MS)
    command = host._process._command
    main = next(index for index, part in enumerate(command) if part.endswith("main.cjs"))
    network = Path(command[main]).with_name("network.cjs")
    probe = Path(command[main]).parent / "not-a-file.cjs"
    assert not probe.exists()
    script = f"""
        const tried = {{}};
        const attempt = (name, body) => {{ try {{ body(); tried[name] = "open"; }} catch (e) {{ tried[name] = e.code ?? e.message; }} }};
        attempt("read", () => require("fs").readFileSync({json.dumps(str(secret))}));
        attempt("write", () => require("fs").writeFileSync({json.dumps(str(tmp_path / "new"))}, ""));
        attempt("process", () => require("child_process").execFileSync("true"));
        attempt("thread", () => new (require("worker_threads").Worker)("0", {{ eval: true }}));
        attempt("addon", () => process.dlopen({{ exports: {{}} }}, {json.dumps(str(secret))}));
        require({json.dumps(str(network))}).closeNetwork();
        attempt("connect", () => require("net").connect(80, "127.0.0.1"));
        attempt("listen", () => require("net").createServer().listen(0));
        attempt("datagram", () => require("dgram").createSocket("udp4").bind(0));
        attempt("names", () => require("dns").lookup("localhost", () => {{}}));
        require("fs").writeSync(1, JSON.stringify(tried));
    """
    done = subprocess.run(
        [*command[:main], "-e", script], capture_output=True, text=True, check=False, timeout=30
    )
    denied = "ERR_ACCESS_DENIED"
    closed = "the network of the machine is closed to code under check"
    tried = json.loads(done.stdout)
    assert tried.pop("addon").startswith("ERR_DLOPEN")
    assert tried == {
        **dict.fromkeys(("read", "write", "process", "thread"), denied),
        **dict.fromkeys(("connect", "listen", "datagram", "names"), closed),
    }
