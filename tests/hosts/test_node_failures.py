"""Code that ends, blocks or breaks its process, and modules that cannot be loaded."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from eutaxy._hosts.node import NodeHost
from eutaxy._hosts.process import HostDied, HostHung
from eutaxy.errors import HostError, ScenarioError
from tests.hosts.node_world import RunWorld, nodes, only, returned, write_bundle

pytestmark = pytest.mark.host


def failing(code: str) -> str:
    return f"""
        exports.default = {{ async fetch(request) {{
          if (request.method === "POST") {{ {code} }}
          return new Response("fine");
        }} }};"""


ENDLESS = {
    "loop": "for (;;);",
    "microtasks": "const again = () => Promise.resolve().then(again); await again();",
    "nested microtasks": "const again = () => queueMicrotask(again); again();",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_endless_code_is_killed_and_the_next_question_served(
    run_in_node: RunWorld, code: str
) -> None:
    world = run_in_node(failing(code), deadline_s=1.0)
    started = time.monotonic()
    with pytest.raises(HostHung):
        world.request(method="POST")
    assert 0.9 < time.monotonic() - started < 3
    assert "returned" in only(world.request()["reactions"])


def test_what_never_becomes_quiet_is_named_before_the_deadline(run_in_node: RunWorld) -> None:
    slow = (
        "const key = await crypto.subtle.importKey('raw', new Uint8Array(1), 'PBKDF2', false, ['deriveBits']);"
        "await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(1), iterations: 4e8 }, key, 512);"
    )
    world = run_in_node(failing(slow), deadline_s=1.5)
    with pytest.raises(HostError, match="did not become quiet in 1200 ms; still open: ") as caught:
        world.request(method="POST")
    assert not isinstance(caught.value, HostHung)
    assert "returned" in only(world.request()["reactions"])


def test_out_of_memory_is_a_death(run_in_node: RunWorld) -> None:
    world = run_in_node(failing("const all = []; for (;;) all.push(new Array(1e6).fill(1.5));"))
    with pytest.raises(HostDied) as caught:
        world.request(method="POST")
    assert caught.value.found == "memory ran out"
    assert "bug" not in caught.value.remedy
    assert "returned" in only(world.request()["reactions"])


@pytest.mark.parametrize("spelling", ["process.exit(1)", "require('node:process').exit(0)"])
def test_process_exit_is_a_failure_with_its_place(run_in_node: RunWorld, spelling: str) -> None:
    code = failing(f"try {{ {spelling}; }} catch {{}}")
    world = run_in_node(code, flags=["nodejs_compat"])
    with pytest.raises(HostError, match=r"process\.exit was called") as caught:
        world.request(method="POST")
    assert caught.value.place.startswith("worker.ts:4:")
    assert "returned" in only(world.request()["reactions"])


def test_deep_recursion_is_an_error_of_the_user(run_in_node: RunWorld) -> None:
    world = run_in_node(failing("const f = () => f() + 1; f();"))
    assert "Maximum call stack" in only(world.request(method="POST")["reactions"])["threw"]


def test_floating_errors_are_printed_and_not_fatal(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { async fetch() {
          void Promise.reject(new TypeError("floating"));
          void (async () => { throw "text"; })();
          queueMicrotask(() => { throw new RangeError("in a microtask"); });
          setTimeout(() => { throw new Error("in a timer"); }, 5);
          const handled = Promise.reject(new Error("handled")); handled.catch(() => {});
          reportError(new Error("reported"));
          return new Response("fine");
        } };""")
    answer = world.request()
    assert sorted(answer["prints"]) == [
        "uncaught exception: Error: reported",
        "uncaught exception: RangeError: in a microtask",
        "unhandled rejection: TypeError: floating",
        "unhandled rejection: text",
    ]
    assert "returned" in only(answer["reactions"])
    assert world.request(returned(0, 1))["prints"] == ["uncaught exception: Error: in a timer"]


def test_a_thrown_value_that_cannot_be_read_ends_the_fiber_all_the_same(
    run_in_node: RunWorld,
) -> None:
    world = run_in_node("""
        const deny = () => { throw odd; };
        const traps = { get: deny, has: deny, getPrototypeOf: deny, ownKeys: deny };
        const odd = new Proxy({}, traps);
        exports.default = { async fetch(request) {
          void Promise.reject(odd);
          throw odd;
        } };""")
    answer = world.request()
    assert "What was thrown cannot be read." in only(answer["reactions"])["threw"]
    assert answer["prints"] == ["unhandled rejection: something that has no text form"]


def test_a_step_that_fails_unawaited_is_printed(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) { void step.do("s", () => 1); return "left"; }
        };""")
    error = {"$": "error", "name": "Error", "message": "exhausted"}
    move = returned(0, 1, error)
    move["threw"] = move.pop("returned")
    answer = world.job(move)
    assert answer == {
        "reactions": [],
        "reads": [],
        "prints": ["unhandled rejection: Error: exhausted"],
    }


def test_console_methods_are_printed(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = { fetch() {
          console.log("a %s %d", "b", 2, { c: [1, { d: { e: 1 } }] }); console.error("err"); console.warn(undefined);
          console.assert(1 === 2, "math"); console.count(); console.count(); console.dir({ a: 1 });
          console.group("in"); console.groupEnd(); console.time("t"); console.timeEnd("t");
          return new Response("");
        } };""")
    assert world.request()["prints"] == [
        *("a b 2 { c: [ 1, { d: [Object] } ] }", "err", "undefined", "Assertion failed: math"),
        *("default: 1", "default: 2", "{ a: 1 }", "in", "t: 0ms"),
    ]


BROKEN_MODULES = {
    "throws": ('const a = 1;\nthrow new TypeError("at load");', "TypeError: at load", 3),
    "syntax": ("const a = 1;\nconst b = ;", "SyntaxError: Unexpected token ';'", 3),
    "throws text": ('throw "text";', "Error: text", 0),
    "missing": ('require("left-pad");', 'Error: No such module "left-pad".', 2),
}


@pytest.mark.parametrize(
    ("code", "found", "line"), BROKEN_MODULES.values(), ids=BROKEN_MODULES.keys()
)
def test_a_module_that_cannot_be_loaded_is_the_users_error(
    run_in_node: RunWorld, code: str, found: str, line: int
) -> None:
    world = run_in_node(code, loads=False)
    for _ in range(2):
        with pytest.raises(ScenarioError) as caught:
            world.host.load()
        assert caught.value.found == found
        expected = f"worker.ts:{line}:" if line else ""
        assert caught.value.place.startswith(expected)
        assert bool(caught.value.place) == bool(line)


def test_an_endless_module_is_killed(run_in_node: RunWorld) -> None:
    world = run_in_node("for (;;);", loads=False, deadline_s=1.0)
    with pytest.raises(HostHung) as caught:
        world.host.load()
    assert caught.value.doing == "evaluating the module of the Worker"


def test_answers_to_effects_that_are_not_open_are_refused(run_in_node: RunWorld) -> None:
    world = run_in_node(failing(""))
    with pytest.raises(HostError, match="fiber 0 has no open effect 3 to answer"):
        world.request(returned(0, 3))
    with pytest.raises(HostError, match="there is no fiber 2 to move"):
        world.request(returned(2, 1))
    move = {"fiber": 0, "invoke": 1, "part": "callback", "argument": "null", "now": 0, "salt": ""}
    with pytest.raises(HostError, match="effect 1 of fiber 0 has no callback to call"):
        world.request(move)


def test_an_entry_that_the_worker_lacks_throws(run_in_node: RunWorld) -> None:
    world = run_in_node(failing(""))
    assert "exports no class Job" in only(world.job()["reactions"])["threw"]


def test_a_program_that_is_no_node_is_refused(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path, "")
    with pytest.raises(HostError, match="not a program that answers to --version like Node"):
        NodeHost(str(tmp_path / "no-node"), bundle, {})


def test_at_least_one_node_is_at_hand() -> None:
    assert nodes()
