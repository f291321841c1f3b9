"""Outbound calls, and requests and responses as user code sees them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hosts.node_world import (
    RunWorld,
    effects,
    handlers_of,
    only,
    outcome,
    request_entry,
    returned,
)

pytestmark = pytest.mark.host

OK = {"status": 200, "headers": {}, "body": None}
URL = "https://x.example/"


def calling(call: str) -> str:
    return (
        f"exports.default = {{ async fetch(request) {{ await {call}; return new Response(); }} }};"
    )


CALLS: list[tuple[str, dict[str, Any]]] = [
    (f"fetch('{URL}a?b=1#part')", {"url": URL + "a?b=1"}),
    (f"fetch(new URL('{URL}'))", {}),
    (
        f"fetch('{URL}', {{ method: 'delete', headers: {{ 'X-A': '1' }} }})",
        {"method": "DELETE", "headers": {"x-a": "1"}},
    ),
    (
        f"fetch('{URL}', {{ method: 'POST', body: 't\u00e9xt' }})",
        {
            "method": "POST",
            "headers": {"content-type": "text/plain;charset=UTF-8"},
            "body": "t\u00e9xt",
        },
    ),
    (
        f"fetch('{URL}', {{ method: 'POST', body: new URLSearchParams({{ a: '1' }}) }})",
        {
            "method": "POST",
            "headers": {"content-type": "application/x-www-form-urlencoded;charset=UTF-8"},
            "body": "a=1",
        },
    ),
    (
        f"fetch('{URL}', {{ method: 'PUT', body: new Uint8Array([0, 255]) }})",
        {"method": "PUT", "body": {"$": "bytes", "as": "Uint8Array", "of": "AP8="}},
    ),
    (
        f"fetch('{URL}', {{ method: 'PUT', body: new TextEncoder().encode('{{}}').buffer }})",
        {"method": "PUT", "body": "{}"},
    ),
    (
        f"fetch('{URL}', {{ method: 'POST', body: new Blob(['b'], {{ type: 'text/x' }}) }})",
        {"method": "POST", "headers": {"content-type": "text/x"}, "body": "b"},
    ),
    (
        f"fetch('{URL}', {{ method: 'POST', body: new Response('streamed').body }})",
        {"method": "POST", "body": "streamed"},
    ),
    (
        f"fetch(new Request('{URL}', {{ method: 'POST', body: 'r', headers: {{ a: '1' }} }}))",
        {
            "method": "POST",
            "headers": {"a": "1", "content-type": "text/plain;charset=UTF-8"},
            "body": "r",
        },
    ),
    (
        f"fetch(new Request('{URL}', {{ headers: {{ a: '1' }} }}), {{ headers: {{ b: '2' }} }})",
        {"headers": {"b": "2"}},
    ),
    (
        "fetch(request)",
        {"url": "https://worker.example/?11", "headers": {"host": "worker.example"}},
    ),
]


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[each[0][:70] for each in CALLS])
def test_calls_are_told_as_they_go_over_the_wire(share_in_node: RunWorld, number: int) -> None:
    world = share_in_node(handlers_of([call for call, _ in CALLS]))
    url = f"https://worker.example/?{number}"
    effect = only(effects(world.request(url=url, headers={"host": "worker.example"})))
    defaults: dict[str, Any] = {"url": URL, "method": "GET", "headers": {}, "body": None}
    assert effect["args"] == defaults | CALLS[number][1]
    assert (effect["name"], effect["operation"]) == ("Fetch", effect["args"]["method"])
    # Each case is on the third line of four.
    assert effect["place"].startswith(f"{3 + 4 * number + 3}:")


def test_forms_have_a_boundary_that_depends_on_the_content_only(run_in_node: RunWorld) -> None:
    form = "(() => { const f = new FormData(); f.append('a\"', 'x\\ny'); f.append('f', new File(['z'], 'n')); return f; })()"
    world = run_in_node(calling(f"fetch('{URL}', {{ method: 'POST', body: {form} }})"))
    args = only(effects(world.request()))["args"]
    boundary = args["headers"]["content-type"].removeprefix("multipart/form-data; boundary=")
    assert args["body"] == (
        f'--{boundary}\r\ncontent-disposition: form-data; name="a%22"\r\n\r\nx\r\ny\r\n'
        f'--{boundary}\r\ncontent-disposition: form-data; name="f"; filename="n"\r\n'
        f"content-type: application/octet-stream\r\n\r\nz\r\n--{boundary}--\r\n"
    )
    assert only(effects(world.request()))["args"] == args


def test_calls_with_bodies_in_memory_are_issued_in_call_order(run_in_node: RunWorld) -> None:
    post = f"fetch('{URL}1', {{ method: 'POST', body: 'x' }})"
    request = f"fetch(new Request('{URL}2', {{ method: 'POST', body: 'x' }}))"
    world = run_in_node(calling(f"Promise.all([{post}, {request}, fetch('{URL}3')])"))
    assert [each["args"]["url"][-1] for each in effects(world.request())] == ["1", "2", "3"]


def test_a_streamed_body_is_read_before_the_call(run_in_node: RunWorld) -> None:
    source = (
        "new ReadableStream({ async start(c) { const r = await fetch('https://source.example/');"
        " c.enqueue(new TextEncoder().encode(await r.text())); c.close(); } })"
    )
    world = run_in_node(calling(f"fetch('{URL}', {{ method: 'POST', body: {source} }})"))
    assert only(effects(world.request()))["args"]["url"] == "https://source.example/"
    sent = only(effects(world.request(returned(0, 1, OK | {"body": "from"}))))
    assert (sent["ordinal"], sent["args"]["body"]) == (2, "from")


def test_the_answer_is_a_response(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          const r = await fetch("https://x.example/p");
          const copy = r.clone();
          let changed = "changed"; try { r.headers.set("a", "b"); } catch (e) { changed = e.constructor.name; }
          return Response.json([r.status, r.statusText, r.ok, r.url, r.headers.get("A"), await r.json(), await copy.text(),
            r instanceof Response, copy instanceof Response, r.constructor === Response, changed,
            new Response(r.body === null ? "" : "x", r).headers.get("a")]);
        } };""")
    answer = {"status": 404, "headers": {"a": "1"}, "body": '{"n":1}'}
    assert world.body(returned(0, 1, answer)) == [
        *(404, "Not Found", False, URL + "p", "1", {"n": 1}, '{"n":1}'),
        *(True, True, True, "TypeError", "1"),
    ]


def test_a_binary_answer_keeps_its_bytes(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          return new Response((await fetch("https://x.example/")).body, { headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]] });
        } };""")
    body = {"$": "bytes", "as": "Uint8Array", "of": "AP+A"}
    answer = world.request(returned(0, 1, OK | {"body": body}))
    assert outcome(answer)[1] == {
        "status": 200,
        "headers": {"set-cookie": "a=1, b=2"},
        "body": body,
    }


def test_redirects_are_calls_of_their_own(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          const r = await fetch("https://x.example/a", { method: "POST", body: "b", headers: { authorization: "s" } });
          const manual = await fetch("https://x.example/m", { redirect: "manual" });
          let refused; try { await fetch("https://x.example/e", { redirect: "error" }); } catch (e) { refused = e.name; }
          return Response.json([r.url, r.status, manual.status, refused]);
        } };""")

    def to(ordinal: int, status: int, location: str) -> dict[str, Any]:
        return returned(0, ordinal, OK | {"status": status, "headers": {"location": location}})

    moves = [to(1, 307, "/b")]
    kept = only(effects(world.request(*moves)))
    assert (kept["operation"], kept["args"]["url"], kept["args"]["body"]) == (
        "POST",
        URL + "b",
        "b",
    )
    assert kept["args"]["headers"]["authorization"] == "s"
    moves.append(to(2, 302, "https://y.example/c"))
    got = only(effects(world.request(*moves)))
    assert (got["operation"], got["args"]) == (
        "GET",
        {"url": "https://y.example/c", "method": "GET", "headers": {}, "body": None},
    )
    moves += [returned(0, 3, OK), to(4, 301, "/n"), to(5, 301, "/n")]
    assert world.body(*moves) == ["https://y.example/c", 200, 301, "TypeError"]


def test_an_aborted_signal_rejects_without_a_call(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          const seen = [];
          await fetch("https://x.example/", { signal: AbortSignal.abort(new Error("early")) }).catch((e) => seen.push(e.message));
          const controller = new AbortController();
          const call = fetch("https://x.example/", { signal: controller.signal }).catch((e) => seen.push(e.name));
          controller.abort();
          await call;
          await fetch("ftp://x.example/").catch((e) => seen.push(e.name));
          await fetch("not a url").catch((e) => seen.push(e.name));
          return Response.json(seen);
        } };""")
    answer = world.request()
    assert len(effects(answer)) == 1
    assert outcome(answer)[1]["body"] == '["early","AbortError","TypeError","TypeError"]'


def test_a_lost_call_rejects(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          try { await fetch("https://x.example/"); } catch (e) { return Response.json([e.message, e.retryable]); }
        } };""")
    lost = {
        "$": "error",
        "name": "Error",
        "message": "Network connection lost.",
        "of": {"retryable": True},
    }
    move = {**returned(0, 1, lost)}
    move["threw"] = move.pop("returned")
    assert world.body(move) == ["Network connection lost.", True]


def test_the_incoming_request(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch(request) {
          let changed = "changed"; try { request.headers.delete("a"); } catch (e) { changed = e.message; }
          const copy = request.clone();
          const text = await request.clone().text();
          const own = new Request(request, { headers: { b: "2" }, cf: { cacheTtl: 5 } });
          own.headers.set("c", "3");
          return Response.json([request.method, request.url, [...request.headers], text, await own.json(),
            changed, [...own.headers], own.cf, request.redirect, request instanceof Request, copy instanceof Request]);
        } };""")
    body = world.body(url="https://w.example/p?q=1", method="PATCH", headers={"a": "1"}, body="[1]")
    assert body == [
        *("PATCH", "https://w.example/p?q=1", [["a", "1"]], "[1]", [1]),
        *("Can't modify immutable headers.", [["b", "2"], ["c", "3"]], {"cacheTtl": 5}, "manual"),
        *(True, True),
    ]


def test_a_request_can_be_made_from_another(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch(request) {
          await fetch(new Request("https://x.example/moved", request));
          class Own extends Request { get tag() { return "t"; } }
          const own = new Own("https://x.example/own", { method: "PUT", body: "o" });
          return Response.json([own.tag, own instanceof Request, await own.text()]);
        } };""")
    entry: dict[str, Any] = {"method": "POST", "headers": {"a": "1"}, "body": "kept"}
    assert only(effects(world.request(**entry)))["args"] == {
        "url": URL + "moved",
        "method": "POST",
        "headers": {"a": "1"},
        "body": "kept",
    }
    assert world.body(returned(0, 1, OK), **entry) == ["t", True, "o"]


def test_cf_can_be_given(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { fetch: (request) =>
          Response.json([request.cf.country, new Request(request).cf.country]) };""")
    entry = request_entry()
    entry["request"] = json.dumps(json.loads(entry["request"]) | {"cf": {"country": "PT"}})
    assert outcome(world.host.evaluate(entry, []))[1]["body"] == '["PT","PT"]'


def test_responses_are_read_whole(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch(request) {
          const { pathname } = new URL(request.url);
          if (pathname === "/null") return new Response(null, { status: 204 });
          if (pathname === "/empty") return new Response("");
          if (pathname === "/stream") {
            return new Response(new ReadableStream({ async pull(c) { c.enqueue(new TextEncoder().encode(await (await fetch("https://x.example/")).text())); c.close(); } }));
          }
          return 5;
        } };""")
    assert outcome(world.request(url=URL + "null"))[1] == {
        "status": 204,
        "headers": {},
        "body": None,
    }
    assert outcome(world.request(url=URL + "empty"))[1]["body"] == ""
    assert "returned" not in only(world.request(url=URL + "stream")["reactions"])
    ended = world.request(returned(0, 1, OK | {"body": "late"}), url=URL + "stream")
    assert outcome(ended)[1]["body"] == "late"
    kind, error = outcome(world.request(url=URL + "other"))
    assert (kind, error["class"]) == ("threw", "TypeError")
