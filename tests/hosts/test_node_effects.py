"""What user code asks for, as effects of fibers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hosts.node_world import (
    RunWorld,
    effects,
    invoked,
    only,
    outcome,
    returned,
    threw,
)

pytestmark = pytest.mark.host

UNDEFINED = {"$": "undefined"}

EXPENSES = """
exports.default = {
  async fetch(request, env) {
    const order = await request.json();
    const instance = await env.JOBS.create({ id: order.id, params: order });
    return Response.json({ made: instance.id }, { status: 202 });
  },
};
exports.Job = class Job extends WorkflowEntrypoint {
  async run(event, step) {
    const decision = await step.waitForEvent("decision", { type: "d", timeout: "7 days" });
    if (!decision.payload.yes) return "refused";
    const paid = await step.do("pay", async () => {
      const answer = await fetch("https://pay.example/pay", {
        method: "POST", body: JSON.stringify(event.payload),
      });
      return (await answer.json()).id;
    });
    return { paid };
  }
};
"""


def test_load_says_what_the_worker_exports(run_in_node: RunWorld) -> None:
    code = EXPENSES + (
        "const { DurableObject, WorkerEntrypoint } = require('cloudflare:workers');"
        "exports.Room = class extends DurableObject {};"
        "exports.Api = class extends WorkerEntrypoint {};"
        "exports.plain = () => 1;"
    )
    assert run_in_node(code).host.load() == {
        "handlers": ["fetch"],
        "classes": [
            {"name": "Job", "kind": "workflow"},
            {"name": "Room", "kind": "object"},
            {"name": "Api", "kind": "entrypoint"},
        ],
    }


def test_a_request_creates_an_instance_and_answers(run_in_node: RunWorld) -> None:
    world = run_in_node(EXPENSES)
    entry: dict[str, Any] = {"method": "POST", "body": '{"id":"e-1"}'}
    started = world.request(**entry)
    assert effects(started) == [
        {
            "ordinal": 1,
            "kind": "call",
            "name": "Workflow:JOBS",
            "operation": "create",
            "args": {"options": {"id": "e-1", "params": {"id": "e-1"}}},
            "place": "6:37",
        }
    ]
    assert "returned" not in only(started["reactions"])
    ended = world.request(returned(0, 1, {"id": "e-1"}), **entry)
    assert outcome(ended) == (
        "returned",
        {
            "status": 202,
            "headers": {"content-type": "application/json"},
            "body": '{"made":"e-1"}',
        },
    )
    assert effects(ended) == []


def test_a_lifetime_is_followed_through_its_fibers(run_in_node: RunWorld) -> None:
    world = run_in_node(EXPENSES)
    wait = only(effects(world.job()))
    assert (wait["kind"], wait["name"], wait["operation"]) == ("wait", "decision", "waitForEvent")
    assert wait["args"] == {"options": {"type": "d", "timeout": "7 days"}}

    moves = [returned(0, 1, {"payload": {"yes": True}})]
    step = only(effects(world.job(*moves)))
    assert (step["ordinal"], step["kind"], step["name"]) == (2, "step", "pay")
    assert step["args"] == {
        "config": UNDEFINED,
        "hasCallback": True,
        "hasDelayFunction": False,
        "rollback": UNDEFINED,
    }

    moves.append(invoked(0, 2))
    answer = world.job(*moves, payload={"cents": 5})
    assert [each["fiber"] for each in answer["reactions"]] == [1]
    call = only(effects(answer, fiber=1))
    assert (call["ordinal"], call["name"], call["operation"]) == (1, "Fetch", "POST")
    assert call["args"] == {
        "url": "https://pay.example/pay",
        "method": "POST",
        "headers": {"content-type": "text/plain;charset=UTF-8"},
        "body": '{"cents":5}',
    }

    moves.append(returned(1, 1, {"status": 200, "headers": {}, "body": '{"id":"p-1"}'}))
    assert outcome(world.job(*moves), fiber=1) == ("returned", "p-1")
    moves.append(returned(0, 2, "p-1"))
    assert outcome(world.job(*moves)) == ("returned", {"paid": "p-1"})


def test_a_thrown_answer_is_caught_as_a_real_error(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            try { await step.do("s", () => 1); }
            catch (e) {
              return [e instanceof RangeError, e instanceof Error, e.name, e.message, e.code, e.stack];
            }
          }
        };""")
    error = {"name": "Slow", "class": "RangeError", "of": {"code": 7}}
    assert outcome(world.job(threw(0, 1, "too far", **error))) == (
        "returned",
        [True, True, "Slow", "too far", 7, "Slow: too far"],
    )


def test_each_answer_is_a_fresh_copy(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            const made = { list: [1] };
            const got = await step.do("s", () => made);
            got.list.push(2);
            return [made, got];
          }
        };""")
    moves = [invoked(0, 1), returned(0, 1, {"list": [1]})]
    assert outcome(world.job(*moves)) == ("returned", [{"list": [1]}, {"list": [1, 2]}])


def test_step_arguments_are_told_as_they_are(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            const noop = () => {};
            void step.do("plain", { retries: { limit: 2, delay: "5 s" }, timeout: 10 }, noop);
            void step.do("delay", { retries: { limit: 1, delay: () => 3, backoff: undefined } }, noop);
            void step.do("undo", noop, { rollback: noop, rollbackConfig: { timeout: 5 } });
            void step.do("undo2", null, noop, { rollback: 5 });
            void step.do("bad undo", noop, "no");
            void step.do("odd", { timeout: noop });
            void step.do(12, noop);
            void step.do();
            void step.sleep("nap", "1 hour");
            void step.sleepUntil("late", new Date(5));
            void step.waitForEvent("ev");
            return "left";
          }
        };""")
    answer = world.job()
    told = {(each["kind"], each["name"]): each["args"] for each in effects(answer)}
    step = {
        "config": UNDEFINED,
        "hasCallback": True,
        "hasDelayFunction": False,
        "rollback": UNDEFINED,
    }
    assert told == {
        ("step", "plain"): {
            **step,
            "config": {"retries": {"limit": 2, "delay": "5 s"}, "timeout": 10},
        },
        ("step", "delay"): {
            **step,
            "config": {"retries": {"limit": 1, "backoff": UNDEFINED}},
            "hasDelayFunction": True,
        },
        ("step", "undo"): {**step, "rollback": {"hasHandler": True, "config": {"timeout": 5}}},
        ("step", "undo2"): {
            **step,
            "config": None,
            "rollback": {"hasHandler": False, "config": UNDEFINED},
        },
        ("step", "bad undo"): {**step, "isValidRollback": False},
        ("step", "odd"): {**step, "config": {"timeout": {}}, "hasCallback": False},
        ("step", "12"): {**step, "nameIsText": False},
        ("step", "undefined"): {**step, "hasCallback": False, "nameIsText": False},
        ("sleep", "nap"): {"duration": "1 hour"},
        ("sleep", "late"): {"until": {"$": "date", "of": 5}},
        ("wait", "ev"): {"options": UNDEFINED},
    }
    assert [each["ordinal"] for each in effects(answer)] == list(range(1, 12))
    assert outcome(answer) == ("returned", "left")


def test_delay_and_rollback_functions_are_fibers_of_their_own(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            await step.do("s", { retries: { limit: 1, delay: ({ ctx, error }) => ctx.attempt + error.message } },
              () => 1, { rollback: async ({ output, stepName }) => { await fetch("https://undo.example/" + output); return stepName; } });
          }
        };""")
    delay = {
        "ctx": {"attempt": 3, "step": {"name": "s", "count": 1}},
        "error": {"$": "error", "name": "Error", "message": "!"},
    }
    asked = world.job(invoked(0, 1, "delay", delay))
    assert outcome(asked, fiber=1) == ("returned", "3!")
    assert asked["reads"] == ["context"]
    undo = {"ctx": {}, "output": "o", "stepName": "s"}
    moves = [returned(0, 1, "o"), invoked(0, 1, "rollback", undo)]
    assert only(effects(world.job(*moves), fiber=1))["args"]["url"] == "https://undo.example/o"
    moves.append(returned(1, 1, {"status": 200, "headers": {}, "body": None}))
    assert outcome(world.job(*moves), fiber=1) == ("returned", "s")


def test_effects_belong_to_the_fiber_whose_code_issued_them(run_in_node: RunWorld) -> None:
    # Both callbacks wait for a promise that the first one resolves; nested steps, timers and streams
    # keep the fiber of their callback too.
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            let open;
            const gate = new Promise((resolve) => { open = resolve; });
            await Promise.all([
              step.do("a", async () => { await fetch("https://x.example/a1"); open(); await fetch("https://x.example/a2"); }),
              step.do("b", async () => {
                await gate;
                void step.do("nested", () => 1);
                const stream = new ReadableStream({ async pull(c) { await fetch("https://x.example/b-stream"); c.close(); } });
                await new Response(stream).text();
              }),
            ]);
          }
        };""")
    moves = [invoked(0, 1), invoked(0, 2)]
    ok = {"status": 200, "headers": {}, "body": ""}
    answer = world.job(*moves, returned(1, 1, ok))
    urls = [each["args"].get("url", each["name"]) for each in effects(answer, fiber=1)]
    assert urls == ["https://x.example/a2"]
    others = [each["args"].get("url", each["name"]) for each in effects(answer, fiber=2)]
    assert others == ["nested", "https://x.example/b-stream"]
    assert [each["fiber"] for each in answer["reactions"]] == [1, 2]


def test_parallel_steps_are_in_call_order_and_race_by_their_answers(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            return Promise.race([step.do("a", () => 1), step.sleep("nap", 5), step.do("b", () => 2)]);
          }
        };""")
    assert [each["name"] for each in effects(world.job())] == ["a", "nap", "b"]
    assert outcome(world.job(returned(0, 3, "b"))) == ("returned", "b")
    assert outcome(world.job(returned(0, 1, "a"))) == ("returned", "a")
    assert world.job(returned(0, 1, "a"), returned(0, 3, "b"))["reactions"] == []


def test_what_differs_between_attempts_is_noticed_when_read(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            void step.do("name", (ctx) => ctx.step.name);
            void step.do("attempt", (ctx) => ctx.attempt);
            void step.do("count", ({ step: { count } }) => count);
            void step.do("whole", (ctx) => ctx);
          }
        };""")
    context = {"step": {"name": "s", "count": 4}, "attempt": 2, "config": {"timeout": 5}}
    asked = {
        name: world.job(invoked(0, ordinal, argument=context))
        for ordinal, name in enumerate(("name", "attempt", "count", "whole"), 1)
    }
    assert {name: answer["reads"] for name, answer in asked.items()} == {
        "name": [],
        "attempt": ["context"],
        "count": ["context"],
        "whole": ["context"],
    }
    ends = [outcome(answer, fiber=1)[1] for answer in asked.values()]
    assert ends == ["s", 2, 4, context]


def test_only_the_last_move_is_told(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            console.log("first", Date.now());
            await step.do("s", () => 1);
            console.log("second");
            await step.do("t", () => 1);
          }
        };""")
    first = world.job()
    assert (first["prints"], first["reads"]) == ([f"first {1_790_000_000_000}"], ["clock"])
    second = world.job(returned(0, 1))
    assert (second["prints"], second["reads"]) == (["second"], [])
    assert [each["name"] for each in effects(second)] == ["t"]


def test_open_wait_until_work_holds_an_ended_fiber(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        const { waitUntil } = require("cloudflare:workers");
        exports.default = {
          async fetch(request, env, ctx) {
            ctx.waitUntil((async () => { await fetch("https://log.example/1"); await fetch("https://log.example/2"); })());
            waitUntil(Promise.reject(new TypeError("lost")));
            return new Response("now");
          },
        };""")
    ok = {"status": 200, "headers": {}, "body": None}
    start = world.request()
    assert outcome(start)[0] == "returned"
    assert only(start["reactions"])["held"] is True
    assert start["prints"] == ["waitUntil promise rejected: TypeError: lost"]
    middle = only(world.request(returned(0, 1, ok))["reactions"])
    assert (middle["held"], len(middle["effects"]), "returned" in middle) == (True, 1, False)
    end = only(world.request(returned(0, 1, ok), returned(0, 2, ok))["reactions"])
    assert end == {"fiber": 0, "effects": []}


def test_a_subscription_asks_for_one_event_after_another(run_in_node: RunWorld) -> None:
    """R-SUB-1: the second request waits for the first; after the last event there is none."""
    world = run_in_node("""
        exports.default = {
          async fetch(request, env) {
            const subscription = await (await env.JOBS.get("j-1")).subscribe({ cursor: 3 });
            const both = await Promise.all([subscription.next(), subscription.next()]);
            return Response.json([...both, await subscription.next()]);
          },
        };""")
    moves = [returned(0, 1, {"id": "j-1"}), returned(0, 2, UNDEFINED)]
    asked = only(effects(world.request(*moves)))
    options: dict[str, Any] = {"cursor": 3, "filter": UNDEFINED}
    assert (asked["operation"], asked["args"]) == ("next", {"id": "j-1", "options": options})
    first = {"done": False, "value": {"eventId": 4, "type": "workflow_running"}}
    moves.append(returned(0, 3, first))
    assert only(effects(world.request(*moves)))["args"]["options"]["cursor"] == 4
    last = {"done": False, "value": {"eventId": 5, "type": "workflow_completed"}}
    moves.append(returned(0, 4, last))
    assert effects(world.request(*moves)) == []
    body = outcome(world.request(*moves))[1]["body"]
    assert json.loads(body) == [first, last, {"done": True}]


def test_a_subscription_that_is_disposed_of_has_no_more_events(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = {
          async fetch(request, env) {
            const subscription = await (await env.JOBS.get("j-1")).subscribe();
            const asked = subscription.next();
            subscription[Symbol.dispose]();
            return Response.json([await asked, await subscription.next()]);
          },
        };""")
    moves = (returned(0, 1, {"id": "j-1"}), returned(0, 2, UNDEFINED))
    body = outcome(world.request(*moves))[1]["body"]
    assert json.loads(body) == [{"done": True}, {"done": True}]


def test_workflow_binding_operations(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = {
          async fetch(request, env) {
            const job = await env.JOBS.get("j-1");
            void job.status(); void job.sendEvent({ type: "t", payload: new Map([[1, 2]]) });
            void job.pause(); void job.resume(); void job.terminate({ rollback: true });
            void job.restart(); void job.delete(); void job.subscribe({ cursor: "c" });
            void env.JOBS.deleteBatch(["a"]);
            const made = await env.JOBS.createBatch([{ id: "x" }, {}]);
            const other = await env.JOBS.createBatch({ count: 2 });
            return Response.json([job.id, made.map((each) => each.id), other]);
          },
        };""")
    assert only(effects(world.request()))["args"] == {"id": "j-1"}
    got = effects(world.request(returned(0, 1, {"id": "j-1"})))
    assert {each["name"] for each in got} == {"Workflow:JOBS"}
    assert [(each["operation"], each["args"]) for each in got] == [
        ("status", {"id": "j-1", "options": UNDEFINED}),
        (
            "sendEvent",
            {"id": "j-1", "options": {"type": "t", "payload": {"$": "map", "of": [[1, 2]]}}},
        ),
        ("pause", {"id": "j-1", "options": UNDEFINED}),
        ("resume", {"id": "j-1", "options": UNDEFINED}),
        ("terminate", {"id": "j-1", "options": {"rollback": True}}),
        ("restart", {"id": "j-1", "options": UNDEFINED}),
        ("delete", {"id": "j-1", "options": UNDEFINED}),
        ("subscribe", {"id": "j-1", "options": {"cursor": "c"}}),
        ("deleteBatch", {"ids": ["a"]}),
        ("createBatch", {"options": [{"id": "x"}, {}]}),
    ]
    made = returned(0, 11, [{"id": "x"}, {"id": "y"}])
    assert only(effects(world.request(returned(0, 1, {"id": "j-1"}), made)))["ordinal"] == 12
    errors = [{"index": 0, "code": 1, "message": "m"}]
    others = returned(0, 12, {"created": [{"id": "z"}], "errors": errors})
    body = world.body(returned(0, 1, {"id": "j-1"}), made, others)
    assert body == ["j-1", ["x", "y"], {"created": [{"id": "z"}], "errors": errors}]


def test_arguments_that_cannot_cross_reject_the_call(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        exports.default = {
          async fetch(request, env) {
            try { await env.JOBS.create({ params: { f() {} } }); }
            catch (e) { return Response.json([e.name, e.message]); }
          },
        };""")
    assert world.body() == ["DataCloneError", "function f could not be cloned."]


def test_entrypoint_classes_get_context_and_env(run_in_node: RunWorld) -> None:
    world = run_in_node(
        """
        const { WorkerEntrypoint, env } = require("cloudflare:workers");
        exports.default = class extends WorkerEntrypoint {
          fetch(request) {
            return Response.json([this.env.NAME, env.NAME, typeof this.ctx.waitUntil, request.url]);
          }
        };""",
        env={"NAME": {"type": "value", "value": '"n"'}},
    )
    assert world.host.load()["handlers"] == ["fetch"]
    assert world.body() == ["n", "n", "function", "https://worker.example/"]


def test_non_retryable_error(run_in_node: RunWorld) -> None:
    world = run_in_node("""
        const { NonRetryableError } = require("cloudflare:workflows");
        exports.Job = class extends WorkflowEntrypoint {
          async run(event, step) {
            void step.do("a", () => { throw new NonRetryableError("m"); });
            void step.do("b", () => { throw new NonRetryableError("m", "Custom"); });
          }
        };""")
    error = {"$": "error", "name": "NonRetryableError", "message": "m"}
    assert outcome(world.job(invoked(0, 1)), fiber=1) == ("threw", error)
    named = {**error, "name": "Custom"}
    assert outcome(world.job(invoked(0, 2)), fiber=1) == ("threw", named)
