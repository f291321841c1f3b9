"""Requests, responses, `fetch` and bindings as a Python Worker has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from eutaxy.errors import HostError
from tests.hosts.cpython_world import RunWorker, answering, worker, workers
from tests.hosts.node_world import effects, only, outcome, returned, threw

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


def fetching(call: str, then: str = "response.status", before: str = "") -> str:
    return worker(
        f"{before}\n"
        "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        f"        response = await {call}\n"
        f"        return Response.json({then})\n"
    )


def args(start: RunWorker, call: str, before: str = "") -> Any:
    (effect,) = effects(start(fetching(call, before=before)).request())
    assert (effect["kind"], effect["name"]) == ("call", "Fetch")
    assert effect["operation"] == effect["args"]["method"]
    return effect["args"]


def test_a_fetch_is_what_goes_over_the_wire(run_worker: RunWorker) -> None:
    call = 'fetch("HTTPS://A.example:443/x/../y z?q=é#part", headers={"X-B": " 1 ", "a": "2"})'
    assert args(run_worker, call) == {
        "url": "https://a.example/y%20z?q=%C3%A9",
        "method": "GET",
        "headers": {"a": "2", "x-b": "1"},
        "body": None,
    }


@pytest.mark.parametrize(
    ("body", "sent", "kind"),
    [
        ('"text é"', "text é", "text/plain;charset=UTF-8"),
        ('js.URLSearchParams.new("a=1&b=x y")', "a=1&b=x+y", None),
        ('to_js(b"ab")', "ab", None),
        ('to_js(b"\\xff")', {"$": "bytes", "as": "Uint8Array", "of": "/w=="}, None),
    ],
)
def test_a_body_is_text_or_bytes_and_brings_its_type(
    run_worker: RunWorker, body: str, sent: object, kind: str | None
) -> None:
    before = "import js\nfrom pyodide.ffi import to_js"
    told = args(run_worker, f'fetch("https://a.example/", method="POST", body={body})', before)
    assert told["body"] == sent
    if "URLSearchParams" in body:
        kind = "application/x-www-form-urlencoded;charset=UTF-8"
    assert told["headers"].get("content-type") == kind


def test_javascript_and_pyodide_ways_to_fetch(run_worker: RunWorker) -> None:
    before = """
import js
from js import Object
from pyodide.ffi import to_js
from pyodide.http import pyfetch
from workers import Request
"""
    options = 'to_js({"method": "put"}, dict_converter=Object.fromEntries)'
    for call in (
        f'js.fetch("https://a.example", {options})',
        'js.fetch("https://a.example", method="PUT")',
        'js.fetch(js.Request.new("https://a.example", method="PUT"))',
        'pyfetch("https://a.example", method="PUT")',
        'fetch(Request("https://a.example", method="PUT"))',
    ):
        told = args(run_worker, call, before)
        assert (told["url"], told["method"]) == ("https://a.example/", "PUT"), call


def test_an_answer_is_a_response(run_worker: RunWorker) -> None:
    then = (
        "[response.ok, response.status, response.status_text, response.headers['X-A'],"
        " await response.clone().text(), await response.json(), response.body_used, response.url]"
    )
    world = run_worker(fetching('fetch("https://a.example/x")', then))
    answer = {"status": 404, "headers": {"x-a": "1"}, "body": '{"k":[1]}'}
    assert world.body(returned(0, 1, answer)) == [
        False,
        404,
        "Not Found",
        "1",
        '{"k":[1]}',
        {"k": [1]},
        True,
        "https://a.example/x",
    ]


def test_a_failure_of_the_network_is_an_os_error(run_worker: RunWorker) -> None:
    code = worker("""
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                try:
                    await fetch("https://a.example/")
                except OSError as error:
                    return Response(f"OSError {error}")
    """)
    kind, value = outcome(run_worker(code).request(threw(0, 1, "Network connection lost.")))
    assert (kind, value["body"]) == ("returned", "OSError Network connection lost.")


def test_redirects_are_followed_by_further_effects(run_worker: RunWorker) -> None:
    call = 'fetch("https://a.example/x", method="POST", body="b")'
    world = run_worker(fetching(call, "[response.status, response.url]"))
    moved = {"status": 302, "headers": {"location": "/y"}, "body": None}
    (second,) = effects(world.request(returned(0, 1, moved)))
    assert second["ordinal"] == 2
    assert second["args"] == {
        "url": "https://a.example/y",
        "method": "GET",
        "headers": {},
        "body": None,
    }
    moves = [returned(0, 1, moved), returned(0, 2, {"status": 200, "headers": {}, "body": None})]
    assert world.body(*moves) == [200, "https://a.example/y"]


def test_an_incoming_request_can_be_read(run_worker: RunWorker) -> None:
    code = answering(
        "[str(request.method), request.url, request.headers['X-Y'], await request.json()]"
    )
    entry: dict[str, Any] = {
        "url": "https://x.example/p?q=1",
        "method": "PUT",
        "headers": {"x-y": "z"},
        "body": '{"a": null}',
    }
    assert run_worker(code).body(**entry) == ["PUT", "https://x.example/p?q=1", "z", {"a": None}]


def test_a_body_can_be_read_once(run_worker: RunWorker) -> None:
    code = worker("""
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                first = await request.text()
                try:
                    await request.text()
                except OSError as error:
                    return Response(f"{first}: {error}")
    """)
    value = outcome(run_worker(code).request(method="POST", body="b"))[1]
    assert value["body"] == "b: Body already used"


@pytest.mark.parametrize(
    ("expression", "status", "body"),
    [
        ('Response("t", status=201, headers={"A": "b"})', 201, "t"),
        ("Response(None, status=204)", 204, None),
        ('Response.json({"a": 1})', 200, '{"a": 1}'),
        ('Response.redirect("https://a.example/")', 302, None),
        ('Response(b"\\xff")', 200, {"$": "bytes", "as": "Uint8Array", "of": "/w=="}),
        ('js.Response.new("raw")', 200, "raw"),
        ("js.Response.json(js.Object.fromEntries([['a', None], ['b', 1.0]]))", 200, '{"b":1}'),
    ],
)
def test_what_a_handler_may_return(
    run_worker: RunWorker, expression: str, status: int, body: object
) -> None:
    code = worker(
        "import js\n"
        "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        f"        return {expression}\n"
    )
    value = outcome(run_worker(code).request())[1]
    assert (value["status"], value["body"]) == (status, body)


@pytest.mark.parametrize("signature", ["self", "self, request", "self, request, env, ctx"])
def test_surplus_arguments_of_fetch_are_dropped(run_worker: RunWorker, signature: str) -> None:
    code = worker(
        "class Default(WorkerEntrypoint):\n"
        f"    async def fetch({signature}):\n"
        "        return Response('ok')\n"
    )
    assert outcome(run_worker(code).request())[1]["body"] == "ok"


def test_fetch_may_be_synchronous(run_worker: RunWorker) -> None:
    code = answering("1").replace("async def", "def")
    assert run_worker(code).body() == 1


def test_a_handler_without_a_response_is_the_platforms_error(run_worker: RunWorker) -> None:
    code = worker("""
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                return "text"
    """)
    kind, error = outcome(run_worker(code).request())
    assert (kind, error["class"]) == ("threw", "TypeError")
    assert "did not resolve to 'Response'" in error["message"]


def test_an_exception_leaves_a_handler_as_a_python_error(run_worker: RunWorker) -> None:
    kind, error = outcome(run_worker(answering("1 / 0")).request())
    assert (kind, error["name"]) == ("threw", "PythonError")
    assert error["message"].endswith("ZeroDivisionError: division by zero\n")


def test_an_entrypoint_object_lives_for_one_request(run_worker: RunWorker) -> None:
    code = worker("""
        class Default(WorkerEntrypoint):
            def __init__(self, ctx, env):
                super().__init__(ctx, env)
                self.count = 0
            async def fetch(self, request):
                self.count += 1
                return Response.json([self.count, self.env.GREETING, self.env.LIMITS.max])
    """)
    values = {"GREETING": json.dumps("hi"), "LIMITS": json.dumps({"max": 5})}
    env = {name: {"type": "value", "value": value} for name, value in values.items()}
    world = run_worker(code, env=env)
    assert world.body() == [1, "hi", 5]
    assert world.body(warm=True) == [1, "hi", 5]


OPERATIONS = [
    ("create()", "create", {"options": {"$": "undefined"}}),
    ('create({"id": "a", "params": {"n": None}})', "create", None),
    ('create(id="a", params={"n": None})', "create", None),
    ('create(to_js({"id": "a", "params": {"n": jsnull}}, dict_converter=F))', "create", None),
    ('create_batch([{"id": "a"}])', "createBatch", {"options": [{"id": "a"}]}),
    ('createBatch([{"id": "a"}])', "createBatch", {"options": [{"id": "a"}]}),
    ('get("a")', "get", {"id": "a"}),
    ('deleteBatch(["a"])', "deleteBatch", {"ids": ["a"]}),
]


@pytest.mark.parametrize(("call", "operation", "expected"), OPERATIONS)
def test_calls_of_a_workflow_binding(
    run_worker: RunWorker, call: str, operation: str, expected: object
) -> None:
    before = "from js import Object\nfrom pyodide.ffi import jsnull, to_js\nF = Object.fromEntries"
    (effect,) = effects(
        run_worker(answering(f"await self.env.JOBS.{call}", before=before)).request()
    )
    assert (effect["name"], effect["operation"]) == ("Workflow:JOBS", operation)
    if expected is None:
        expected = {"options": {"id": "a", "params": {"n": None}}}
    assert effect["args"] == expected


INSTANCE_CALLS = [
    ("status()", "status", None),
    ("pause()", "pause", None),
    ("resume()", "resume", None),
    ('restart({"from": {"name": "s"}})', "restart", {"from": {"name": "s"}}),
    ("terminate(rollback=True)", "terminate", {"rollback": True}),
    ('send_event({"type": "t", "payload": 1.0})', "sendEvent", {"type": "t", "payload": 1}),
    ('sendEvent(type="t", payload=[])', "sendEvent", {"type": "t", "payload": []}),
    ("delete()", "delete", None),
    ("subscribe()", "subscribe", None),
    ('subscribe({"cursor": 3, "filter": ["a"]})', "subscribe", {"cursor": 3, "filter": ["a"]}),
]


@pytest.mark.parametrize(("call", "operation", "options"), INSTANCE_CALLS)
def test_calls_of_an_instance(
    run_worker: RunWorker, call: str, operation: str, options: object
) -> None:
    code = answering(f"[i := await self.env.JOBS.get('a'), await i.{call}]")
    answer = run_worker(code).request(returned(0, 1, {"id": "a"}))
    (effect,) = effects(answer)
    assert (effect["ordinal"], effect["operation"]) == (2, operation)
    expected = {"$": "undefined"} if options is None else options
    assert effect["args"] == {"id": "a", "options": expected}


def test_a_subscription_asks_for_one_event_after_another(run_worker: RunWorker) -> None:
    """R-SUB-1: the second request waits for the first; after the last event there is none."""
    code = worker("""
        import asyncio

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                subscription = await (await self.env.JOBS.get("a")).subscribe(cursor=3)
                both = await asyncio.gather(subscription.next(), subscription.next())
                told = [*both, await subscription.next()]
                return Response.json([[each.done, getattr(each.value, "type", None)] for each in told])
    """)
    world = run_worker(code)
    moves = [returned(0, 1, {"id": "a"}), returned(0, 2, {"$": "undefined"})]
    asked = only(effects(world.request(*moves)))
    assert asked["operation"] == "next"
    assert asked["args"]["options"]["cursor"] == 3
    moves.append(returned(0, 3, {"done": False, "value": {"eventId": 4, "type": "step_started"}}))
    assert only(effects(world.request(*moves)))["args"]["options"]["cursor"] == 4
    last = {"done": False, "value": {"eventId": 5, "type": "workflow_completed"}}
    told = [[False, "step_started"], [False, "workflow_completed"], [True, None]]
    assert run_worker(code).body(*moves, returned(0, 4, last)) == told


def test_a_status_is_a_dictionary_with_attributes(run_worker: RunWorker) -> None:
    code = answering(
        "[s := await (await self.env.JOBS.get('a')).status(), s.status][1:] + [s['output']]"
    )
    status = {"status": "complete", "output": {"n": None}, "error": None}
    moves = [returned(0, 1, {"id": "a"}), returned(0, 2, status)]
    assert run_worker(code).body(*moves) == ["complete", {"n": None}]


def test_a_refused_call_is_a_javascript_error(run_worker: RunWorker) -> None:
    code = worker("""
        from pyodide.ffi import JsException

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                try:
                    await self.env.JOBS.get("nope")
                except JsException as error:
                    return Response(f"{error.name}|{error.message}|{error}")
    """)
    value = outcome(run_worker(code).request(threw(0, 1, "instance.not_found")))[1]
    assert value["body"] == "Error|instance.not_found|Error: instance.not_found"


def test_arguments_that_cannot_be_cloned_reject_the_call(run_worker: RunWorker) -> None:
    code = worker("""
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                try:
                    await self.env.JOBS.create(params={"f": print})
                except Exception as error:
                    return Response(f"{error.name}: {error.notCloneable}")
    """)
    answer = run_worker(code).request()
    assert only(answer["reactions"])["effects"] == []
    assert outcome(answer)[1]["body"] == "DataCloneError: function print"


def test_an_answer_without_an_instance_is_a_failure(run_worker: RunWorker) -> None:
    world = run_worker(answering("(await self.env.JOBS.get('a')).id"))
    with pytest.raises(HostError, match="no instance id"):
        world.request(returned(0, 1, {}))


def test_env_is_there_without_self(run_worker: RunWorker) -> None:
    code = answering("[await env.JOBS.get('a'), 1][1]", before="from workers import env")
    (effect,) = effects(run_worker(code).request())
    assert effect["operation"] == "get"


def test_env_can_be_patched(run_worker: RunWorker) -> None:
    before = """
from workers import env, patch_env
def patched():
    with patch_env(NAME="other"):
        from workers import env as inside
        return inside.NAME
"""
    env = {"NAME": {"type": "value", "value": '"mine"'}}
    world = run_worker(answering("[patched(), env.NAME]", before=before), env=env)
    assert world.body() == ["other", "mine"]


def test_wait_until_holds_the_activation(run_worker: RunWorker) -> None:
    code = worker("""
        from workers import wait_until

        async def later(path):
            await fetch(f"https://a.example/{path}")
            print("done", path)

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                self.ctx.waitUntil(later("ctx"))
                wait_until(later("function"))
                return Response("now")
    """)
    world = run_worker(code)
    (reaction,) = world.request()["reactions"]
    assert [effect["ordinal"] for effect in reaction["effects"]] == [1, 2]
    assert json.loads(reaction["returned"])["body"] == "now"
    assert reaction["held"] is True
    answered = [returned(0, n, {"status": 200, "headers": {}, "body": None}) for n in (1, 2)]
    first = world.request(answered[0])
    assert first["prints"] == ["done ctx"]
    assert only(first["reactions"]) == {"fiber": 0, "effects": [], "held": True}
    assert only(world.request(*answered)["reactions"]) == {"fiber": 0, "effects": []}


def test_a_failure_of_wait_until_is_printed(run_worker: RunWorker) -> None:
    code = worker("""
        async def later(): raise ValueError("late")

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                self.ctx.waitUntil(later())
                return Response("now")
    """)
    answer = run_worker(code).request()
    assert answer["prints"] == ["waitUntil promise rejected: ValueError: late"]
    assert "held" not in only(answer["reactions"])


def test_prints_are_told_by_line(run_worker: RunWorker) -> None:
    before = """
import logging, sys, js
def say():
    print("a", 1)
    print("two\\nlines")
    logging.getLogger("x").warning("careful")
    js.console.log("js", None, [1])
    sys.stdout.write("open end")
"""
    answer = run_worker(answering("say()", before=before)).request()
    assert answer["prints"] == ["a 1", "two", "lines", "careful", "js undefined [1]", "open end"]


def test_an_asgi_application_runs(run_worker: RunWorker) -> None:
    code = worker("""
        import asgi

        async def app(scope, receive, send):
            if scope["type"] != "http":
                raise NotImplementedError
            body = (await receive())["body"]
            status = {"type": "http.response.start", "status": 201, "headers": [(b"a", b"b")]}
            await send(status)
            await send({"type": "http.response.body", "body": scope["path"].encode() + body})

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                return await asgi.fetch(app, request, self.env, self.ctx)
    """)
    entry: dict[str, Any] = {"url": "https://x.example/p", "method": "POST", "body": "!"}
    value = outcome(run_worker(code).request(**entry))[1]
    assert (value["status"], value["headers"]["a"], value["body"]) == (201, "b", "/p!")
