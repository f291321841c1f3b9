"""Time, timers, randomness, crypto: everything that differs between runs on a real machine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hosts.node_world import (
    EPOCH_MS,
    RunWorld,
    effects,
    handlers_of,
    invoked,
    only,
    outcome,
    returned,
)

pytestmark = pytest.mark.host


def handler(expression: str, before: str = "") -> str:
    return (
        f"{before}\nexports.default = {{ async fetch(request, env, ctx) "
        f"{{ return Response.json(await ({expression})); }} }};"
    )


CLOCKS = [
    ("Date.now()", EPOCH_MS + 1500),
    ("new Date().toISOString()", "2026-09-21T14:13:21.500Z"),
    ("Date()", "Mon Sep 21 2026 14:13:21 GMT+0000 (Coordinated Universal Time)"),
    ("performance.now()", EPOCH_MS + 1500),
    ("new Intl.DateTimeFormat('en-GB').format()", "21/09/2026"),
    ("new Intl.DateTimeFormat('en-GB').formatToParts()[0].value", "21"),
    ("new (class extends Date {})().getTime()", EPOCH_MS + 1500),
]


@pytest.mark.parametrize("number", range(len(CLOCKS)), ids=[each[0] for each in CLOCKS])
def test_clocks_show_virtual_time(share_in_node: RunWorld, number: int) -> None:
    world = share_in_node(handlers_of([expression for expression, _ in CLOCKS]))
    entry: dict[str, Any] = {"url": f"https://x.example/?{number}", "now": 1500}
    assert world.body(**entry) == CLOCKS[number][1]
    assert world.request(**entry)["reads"] == ["clock"]


def test_dates_that_are_given_read_no_clock(run_in_node: RunWorld) -> None:
    world = run_in_node(
        handler(
            "[new Date(5).getTime(), Date.UTC(1970), new Date('1970-01-01').toLocaleString('en-US'),"
            " new Date(2026, 0, 1).getTimezoneOffset(), new Date(5) instanceof Date,"
            " new Date(5).constructor === Date, Date.length, Date.name,"
            " new Intl.DateTimeFormat('en-GB').format(0), performance.timeOrigin]"
        )
    )
    assert world.body() == [
        *(5, 0, "1/1/1970, 12:00:00 AM", 0, True, True, 7, "Date", "01/01/1970", 0)
    ]
    assert world.request()["reads"] == []


def test_time_moves_with_the_moves_only(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        const atLoad = Date.now();
        exports.default = { async fetch() {
          const a = Date.now(); await scheduler.wait(10); const b = Date.now();
          return Response.json([atLoad, a - 1790000000000, b - 1790000000000]);
        } };""")
    assert world.body(returned(0, 1, now=500), now=200) == [0, 200, 500]


RANDOM = [
    "Math.random()",
    "crypto.randomUUID()",
    "Array.from(crypto.getRandomValues(new Uint8Array(40)))",
    "jwk(crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']))",
    "jwk(crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']))",
    "require('node:crypto').randomBytes(8).toString('hex')",
    "require('node:crypto').randomInt(1000000)",
    "require('node:crypto').randomUUID()",
]


@pytest.mark.parametrize("number", range(len(RANDOM)), ids=RANDOM)
def test_randomness_comes_from_the_salt(share_in_node: RunWorld, number: int) -> None:
    jwk = "const jwk = async (key) => crypto.subtle.exportKey('jwk', await key);"
    world = share_in_node(handlers_of(RANDOM, before=jwk), flags=["nodejs_compat"])
    url = f"https://x.example/?{number}"
    one = world.body(url=url, salt="one")
    assert world.body(url=url, salt="one") == one
    assert world.body(url=url, salt="two") != one
    assert world.request(url=url, salt="one")["reads"] == ["random"]


def test_randomness_is_well_formed(run_in_node: RunWorld) -> None:
    world = run_in_node(
        handler(
            "[crypto.randomUUID(), Array.from({ length: 500 }, Math.random),"
            " Array.from(crypto.getRandomValues(new Uint32Array(3)))]"
        )
    )
    uuid, fractions, numbers = world.body()
    parts = [len(part) for part in uuid.split("-")]
    assert (parts, uuid[14], uuid[19] in "89ab") == ([8, 4, 4, 4, 12], "4", True)
    assert len(set(fractions)) == 500
    assert all(0 <= each < 1 for each in fractions)
    assert 0.45 < sum(fractions) / 500 < 0.55
    assert max(numbers) > 2**16


def test_each_fiber_draws_from_its_own_salt(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            void step.do("a", () => Math.random());
            void step.do("b", () => Math.random());
          }
        };""")
    both = world.job(invoked(0, 1, salt="x"), invoked(0, 2, salt="y"))
    alone = world.job(invoked(0, 2, salt="y"))
    assert outcome(both, fiber=2) == outcome(alone, fiber=1)
    assert outcome(world.job(invoked(0, 2, salt="x")), fiber=1) != outcome(alone, fiber=1)


def test_timers_are_effects(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          const seen = [];
          setTimeout((a, b) => seen.push("timeout", a, b), 30, 1, 2);
          const tick = setInterval(() => { seen.push("tick"); if (seen.length > 5) clearInterval(tick); }, 5);
          const never = setTimeout(() => seen.push("never"), 1);
          clearTimeout(never);
          await scheduler.wait(100);
          return Response.json(seen);
        } };""")
    first = effects(world.request())
    assert [(each["kind"], each["name"], each["operation"], each["args"]) for each in first] == [
        ("timer", "Timer", "timer", {"ms": ms}) for ms in (30, 5, 1, 100)
    ]
    again = effects(world.request(returned(0, 2)))
    assert [(each["ordinal"], each["args"]) for each in again] == [(5, {"ms": 5})]
    moves = [returned(0, ordinal) for ordinal in (2, 1, 5, 6)]
    assert only(effects(world.request(*moves[:3])))["ordinal"] == 6
    assert world.request(*moves)["reactions"] == []
    assert world.body(*moves, returned(0, 4)) == ["tick", "timeout", 1, 2, "tick", "tick"]


def test_a_cleared_timer_is_told_to_be_cancelled(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch(request, env) {
          const late = setTimeout(() => {}, 30);
          const early = setTimeout(() => {}, 1);
          clearTimeout(early);
          await env.JOBS.get("a");
          clearTimeout(late);
          clearTimeout(late);
          const tick = setInterval(() => clearInterval(tick), 5);
          await env.JOBS.get("b");
          clearInterval(tick);
          const controller = new AbortController();
          const wait = scheduler.wait(50, { signal: controller.signal });
          controller.abort(new Error("enough"));
          return Response.json(await wait.catch((error) => error.message));
        } };""")
    handle = {"id": "a"}
    first = only(world.request()["reactions"])
    assert first["cancelled"] == [2]
    second = only(world.request(returned(0, 3, handle))["reactions"])
    assert second["cancelled"] == [1]
    assert [effect["ordinal"] for effect in second["effects"]] == [4, 5]
    # The tick has come and cleared itself; the wait is taken back in the move that asked for it.
    third = only(world.request(returned(0, 3, handle), returned(0, 5, handle))["reactions"])
    assert [effect["ordinal"] for effect in third["effects"]] == [6]
    assert third["cancelled"] == [4, 6]
    ticked = [returned(0, 3, handle), returned(0, 4), returned(0, 5, handle)]
    assert only(world.request(*ticked)["reactions"])["cancelled"] == [6]
    assert world.body(*ticked) == "enough"


def test_abort_signal_timeout_is_a_timer(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          try { await fetch("https://slow.example/", { signal: AbortSignal.timeout(50) }); }
          catch (e) { return Response.json([e.name, e instanceof DOMException]); }
        } };""")
    assert [each["args"].get("ms", each["name"]) for each in effects(world.request())] == [
        50,
        "Fetch",
    ]
    assert world.body(returned(0, 1)) == ["TimeoutError", True]


def test_module_code_may_not_do_what_workers_may_not_do_there(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        const refused = [];
        for (const [name, use] of Object.entries({
          fetch: () => fetch("https://x.example"), setTimeout: () => setTimeout(() => {}, 1),
          uuid: () => crypto.randomUUID(),
        })) try { use(); } catch (e) { refused.push(name, e.message.slice(0, 20)); }
        exports.default = { fetch: () => Response.json(refused) };""")
    start = "Disallowed operation"
    assert world.body() == ["fetch", start, "setTimeout", start, "uuid", start]


CRYPTO = """
const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");
const order = [];
exports.default = { async fetch() {
  const slow = crypto.subtle.importKey("raw", bytes("p"), "PBKDF2", false, ["deriveBits"]).then((key) =>
    crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: bytes("s"), iterations: 200000 }, key, 64));
  const big = crypto.subtle.digest("SHA-512", new Uint8Array(4000000));
  const small = crypto.subtle.digest("SHA-1", bytes("abc"));
  slow.then(() => order.push("slow")); big.then(() => order.push("big"));
  small.then(() => order.push("small"));
  const wasm = WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  wasm.then(() => order.push("wasm"));
  await Promise.all([slow, big, small, wasm]);
  const key = await crypto.subtle.importKey("raw", bytes("k"), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const signed = await crypto.subtle.sign("HMAC", key, bytes("m"));
  const aes = await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-CBC", false, ["encrypt", "decrypt"]);
  const hidden = await crypto.subtle.encrypt({ name: "AES-CBC", iv: new Uint8Array(16) }, aes, bytes("m"));
  return Response.json([order, hex(await small), await crypto.subtle.verify("HMAC", key, signed, bytes("m")), hex(hidden),
    crypto.subtle.timingSafeEqual(bytes("a"), bytes("a"))]);
} };
"""


def test_work_on_other_threads_ends_in_call_order(run_in_node: RunWorld) -> None:
    order, digest, is_verified, hidden, is_equal = run_in_node(CRYPTO).body()
    # The calls are: importKey (of slow), digest, digest, compile; deriveBits comes when importKey is
    # delivered, so it is last.
    assert order == ["big", "small", "wasm", "slow"]
    assert digest == "a9993e364706816aba3e25717850c26c9cd0d89d"
    assert (is_verified, is_equal) == (True, True)
    # AES-128-CBC of "m" with zero key and iv, as `openssl enc -aes-128-cbc` gives it.
    assert hidden == "b0e176ff4c842b9d4c67bce938e959de"


def test_streams_compression_and_forms_become_quiet(run_in_node: RunWorld) -> None:
    world = run_in_node(
        """
        exports.default = { async fetch(request) {
          const zipped = new Blob(["hello ".repeat(100)]).stream().pipeThrough(new CompressionStream("gzip"));
          const back = await new Response(zipped.pipeThrough(new DecompressionStream("gzip"))).text();
          const form = new FormData();
          form.append("a", "1"); form.append("f", new File(["x\\r\\ny"], "n.txt", { type: "text/plain" }));
          const sent = new Request("https://x.example", { method: "POST", body: form });
          const type = sent.headers.get("content-type");
          const got = await sent.formData();
          const [one, two] = new Response("tee").body.tee();
          return Response.json([back.length, type.split("=")[0], got.get("a"), await got.get("f").text(), got.get("f").name,
            await new Response(one).text() + await new Response(two).text(), (await request.bytes()).length,
            await new Response(form).text() === await new Response(form).text()]);
        } };"""
    )
    assert world.body(method="POST", body="12345") == [
        *(600, "multipart/form-data; boundary", "1", "x\r\ny", "n.txt", "teetee", 5, True)
    ]


def test_node_crypto(run_in_node: RunWorld) -> None:
    world = run_in_node(
        handler(
            "new Promise((done) => c.scrypt('p', 's', 8, (e, key) => done([key.toString('hex'),"
            " c.createHash('md5').update('a').digest('hex'), c.timingSafeEqual(Buffer.from('a'),"
            " Buffer.from('a'))])))",
            before="const c = require('node:crypto');",
        ),
        flags=["nodejs_compat"],
    )
    key, digest, is_equal = world.body()
    assert (len(key), digest, is_equal) == (16, "0cc175b9c0f1b6a831c399e269772661", True)


def test_collection_cannot_be_observed(run_in_node: RunWorld) -> None:
    world = run_in_node(
        handler(
            "(() => { const ref = new WeakRef({ a: 1 }); for (let i = 0; i < 1e5; i++) new Array(100);"
            " new FinalizationRegistry(() => {}).register({}); return ref.deref().a; })()"
        )
    )
    assert world.body() == 1


def test_nothing_of_the_machine_shows(run_in_node: RunWorld) -> None:
    world = run_in_node(
        handler(
            "[navigator.userAgent, new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone,"
            " typeof process, typeof Buffer, typeof globalThis.process, 'Buffer' in {}, typeof require('node:async_hooks').AsyncLocalStorage,"
            " typeof global, typeof setImmediate, Object.getOwnPropertySymbols(globalThis).filter((s) => globalThis[s] !== undefined).length,"
            " (() => { try { null.x } catch (e) { return e.stack.split('\\n').length } })()]"
        )
    )
    assert world.body() == [
        *("Cloudflare-Workers", 0, "UTC", "undefined", "undefined", "undefined", False, "function"),
        *("undefined", "undefined", 1, 3),
    ]


READS_OF_EVENTS = [
    "event.timestamp",
    "(({ timestamp }) => timestamp)(event)",
    "({ ...event }).timestamp",
    "Object.assign({}, event).timestamp",
    "structuredClone(event).timestamp",
    "new Date(JSON.parse(JSON.stringify(event)).timestamp)",
    "Object.entries(event).find(([name]) => name === 'timestamp')[1]",
    "(await step.do('s', () => event)) ?? 0",
]
NO_READS_OF_EVENTS = [
    "event.payload",
    "event.instanceId",
    "Object.keys(event)",
    "'timestamp' in event",
    "(({ payload }) => payload)(event)",
    "console.log(event, [event])",
]


def reading(expression: str) -> str:
    return f"""
        exports.Job = class extends WorkflowEntrypoint {{
          async run(given, step) {{
            const event = given.payload === 1 ? await step.waitForEvent("w", {{ type: "t" }}) : given;
            return {expression};
          }}
        }};"""


@pytest.mark.parametrize("expression", READS_OF_EVENTS)
def test_the_time_of_an_event_is_read_like_a_clock(run_in_node: RunWorld, expression: str) -> None:
    world = run_in_node(reading(expression))
    moves = [invoked(0, 1)] if "step.do" in expression else []
    answer = world.job(*moves)
    assert answer["reads"] == ["clock"]
    if not moves:
        assert outcome(answer)[1] == {"$": "date", "of": EPOCH_MS}
        event = {"payload": None, "timestamp": {"$": "date", "of": 7}, "type": "t"}
        answer = world.job(returned(0, 1, event), payload=1)
        assert (answer["reads"], outcome(answer)[1]) == (["clock"], {"$": "date", "of": 7})


@pytest.mark.parametrize("expression", NO_READS_OF_EVENTS)
def test_the_rest_of_an_event_is_no_clock(run_in_node: RunWorld, expression: str) -> None:
    answer = run_in_node(reading(expression)).job()
    assert answer["reads"] == []
    assert all("2026" in line and "etter" not in line for line in answer["prints"])


def test_an_event_looks_plain(run_in_node: RunWorld) -> None:
    world = run_in_node(
        """
        const { inspect } = require("node:util");
        exports.Job = class extends WorkflowEntrypoint {
          async run(event) {
            const { enumerable, configurable } = Object.getOwnPropertyDescriptor(event, "timestamp");
            const shown = inspect({ event }).includes(event.timestamp.toISOString());
            event.timestamp = 5;
            return [Object.keys(event), enumerable, configurable, shown, event.timestamp];
          }
        };""",
        flags=["nodejs_compat"],
    )
    names = ["payload", "timestamp", "instanceId", "workflowName"]
    assert outcome(world.job())[1] == [names, True, True, True, 5]
