"""What the model lacks is named with the user's line, whatever user code makes of it."""

from __future__ import annotations

import pytest

from eutaxy.errors import ScenarioError, UnmodelledError
from tests.hosts.node_world import RunWorld, handlers_of, only

pytestmark = pytest.mark.host

USES = [
    ("env.SESSIONS.get('k')", "KV namespace SESSIONS"),
    ("env.DB.prepare('select 1')", "D1 database DB"),
    ("env.BUCKET['put']('k', 'v')", "R2 bucket BUCKET"),
    ("env.JOBS_QUEUE.send({})", "queue JOBS_QUEUE"),
    ("env.ROOMS.idFromName('r')", "Durable Object namespace ROOMS"),
    ("env.OTHER.fetch(request)", "service binding OTHER"),
    ("'x' in env.MYSTERY", "mystery_things MYSTERY"),
    ("caches.default", "caches"),
    ("caches.open('c')", "caches"),
    ("new HTMLRewriter().on('a', {})", "HTMLRewriter"),
    ("new WebSocketPair()", "WebSocketPair"),
    ("new WebSocket('wss://x.example')", "WebSocket"),
    ("new EventSource('https://x.example')", "EventSource"),
    ("new MessageChannel()", "MessageChannel"),
    ("new BroadcastChannel('c')", "BroadcastChannel"),
    ("require('cloudflare:sockets').connect('x:1')", "connect (TCP sockets)"),
    ("require('node:fs').readFileSync('/etc/passwd')", "readFileSync of node:fs"),
    ("require('node:net').connect(80)", "connect of node:net"),
    ("require('node:http').get('http://x')", "get of node:http"),
    ("require('node:child_process').execSync('ls')", "execSync of node:child_process"),
    ("require('node:worker_threads').Worker", "Worker of node:worker_threads"),
    ("require('node:module').createRequire('/')", "createRequire of node:module"),
    ("require('node:crypto').generateKeyPairSync('rsa')", "generateKeyPairSync of node:crypto"),
    ("require('cloudflare:workers').cache", "cache of cloudflare:workers"),
    ("require('cloudflare:workers').exports.Job", "exports of cloudflare:workers"),
    ("ctx.exports.Job", "ctx.exports"),
    ("request.cf.country", "request.cf"),
    ("request.cf?.country", "request.cf"),
    ("ctx.passThroughOnException()", "ctx.passThroughOnException"),
    ("(await import('node:fs')).readFileSync('x')", "readFileSync of node:fs"),
    ("(await import('node:fs')).default.readFileSync('x')", "readFileSync of node:fs"),
    ("(await import('cloudflare:workers')).cache", "cache of cloudflare:workers"),
    ("fetch('data:text/plain,x')", "fetch of a data: URL"),
    ("performance.mark('m')", "performance.mark"),
    ("process.memoryUsage()", "process.memoryUsage"),
    ("addEventListener('fetch', () => {})", "addEventListener"),
    (
        "crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])",
        "crypto.subtle.generateKey for ECDSA, which cannot be seeded",
    ),
    (
        "crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, null, new Uint8Array(1))",
        "crypto.subtle.sign with ECDSA, whose randomness cannot be seeded",
    ),
    ("new crypto.DigestStream('SHA-1')", "crypto.DigestStream"),
    ("WebAssembly.compileStreaming(new Response(''))", "WebAssembly.compileStreaming"),
    (
        "import('./' + request.method)",
        "import() of ./GET, which is not in the bundle",
    ),
    ("import('cloudflare:' + request.method)", "the module cloudflare:GET"),
]

BINDINGS = {
    "SESSIONS": "kv_namespaces",
    "DB": "d1_databases",
    "BUCKET": "r2_buckets",
    "JOBS_QUEUE": "queues",
    "ROOMS": "durable_objects",
    "OTHER": "services",
    "MYSTERY": "mystery_things",
}
ENV = {name: {"type": "unmodelled", "what": what} for name, what in BINDINGS.items()}


@pytest.mark.parametrize("number", range(len(USES)), ids=[use for use, _ in USES])
def test_use_is_reported_even_when_the_code_catches_it(
    share_in_node: RunWorld, number: int
) -> None:
    caught_uses = [f"(async () => {{ try {{ await\n({use}); }} catch {{}} }})()" for use, _ in USES]
    world = share_in_node(handlers_of(caught_uses), env=ENV, flags=["nodejs_compat"])
    with pytest.raises(UnmodelledError) as caught:
        world.request(url=f"https://worker.example/?{number}")
    assert caught.value.found == f"it uses {USES[number][1]}, which eutaxy does not model"
    # Each use is on the fourth line of five.
    assert caught.value.place.startswith(f"worker.ts:{3 + 5 * number + 4}:")


def test_the_remedy_for_cf_is_a_header(share_in_node: RunWorld) -> None:
    world = share_in_node(handlers_of(["request.cf?.country"]))
    with pytest.raises(UnmodelledError) as caught:
        world.request(url="https://worker.example/?0")
    assert "a header, such as cf-ipcountry" in caught.value.remedy


def test_the_host_serves_on_after_a_report(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch(request) {
          if (request.method === "POST") new WebSocketPair();
          return new Response("fine");
        } };""")
    with pytest.raises(UnmodelledError):
        world.request(method="POST")
    assert "returned" in only(world.request()["reactions"])


def test_naming_without_using_is_harmless(run_in_node: RunWorld) -> None:
    world = run_in_node(
        """
        const fs = require("node:fs");
        const copied = Object.create(Object.getPrototypeOf(fs));
        class Store { constructor(kv) { this.kv = kv; } }
        exports.Room = class extends require("cloudflare:workers").DurableObject {};
        exports.default = { async fetch(request, env, ctx) {
          new Store(env.SESSIONS);
          const has = [typeof HTMLRewriter, typeof caches, "WebSocketPair" in globalThis, typeof env.DB, fs === undefined, await 1];
          return Response.json(has);
        } };""",
        env=ENV,
        flags=["nodejs_compat"],
    )
    assert world.body() == ["function", "object", True, "object", False, 1]


def test_import_of_what_is_there(run_in_node: RunWorld) -> None:
    world = run_in_node(
        """
        const name = (text) => text;
        exports.default = { async fetch(request) {
          const { WorkflowEntrypoint: Base, env, default: all } = await import(name("cloudflare:workers"));
          const { default: path, sep } = await import(name("node:path"));
          return Response.json([Base === WorkflowEntrypoint, env.X, all.env.X, path.join("a", "b"), sep]);
        } };""",
        env={"X": {"type": "value", "value": "1"}},
        flags=["nodejs_compat"],
    )
    assert world.body() == [True, 1, 1, "a/b", "/"]


def test_use_while_the_module_is_evaluated(run_in_node: RunWorld) -> None:
    world = run_in_node("const cache = caches.default;", loads=False)
    with pytest.raises(UnmodelledError, match="it uses caches") as caught:
        world.host.load()
    assert caught.value.place.startswith("worker.ts:2:")


def test_modules_that_are_missing_without_the_flag(run_in_node: RunWorld) -> None:
    world = run_in_node('require("node:buffer");', loads=False)
    with pytest.raises(ScenarioError, match='No such module "node:buffer"') as caught:
        world.host.load()
    assert caught.value.place.startswith("worker.ts:2:")


def test_process_env_holds_vars_with_nodejs_compat(run_in_node: RunWorld) -> None:
    env = {
        "TEXT": {"type": "value", "value": '"t"'},
        "TREE": {"type": "value", "value": '{"a":1}'},
        "KV": {"type": "unmodelled", "what": "kv_namespaces"},
    }
    code = """
        exports.default = { fetch(request, env) {
          return Response.json([typeof process === "undefined" ? null : process.env, env.TEXT, env.TREE.a,
            typeof globalThis.Buffer]);
        } };"""
    compat = {"env": env, "flags": ["nodejs_compat"]}
    vars_ = {"TEXT": "t", "TREE": '{"a":1}'}
    assert run_in_node(code, **compat).body() == [vars_, "t", 1, "function"]
    assert run_in_node(code, **compat, date="2025-03-31").body() == [{}, "t", 1, "function"]
    assert run_in_node(code, env=env).body() == [None, "t", 1, "undefined"]
