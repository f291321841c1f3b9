"""Everything that a scenario can say, in both languages, with the same meaning; and its functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from eutaxy._base.scenario import (
    DirectCall,
    FireSchedule,
    FunctionRef,
    RowsHold,
    Scenario,
    TraceHolds,
)
from eutaxy._base.value import Plain, Value, encode
from eutaxy._base.verdict import VerdictKind
from eutaxy._session.epoch import EPOCH_MS
from eutaxy._session.load import Loaded, load_scenario
from eutaxy._session.session import check
from eutaxy.errors import ScenarioError
from tests.hosts.toolbox import own_cache, placeless, write

pytestmark = pytest.mark.host

SCENARIOS = Path(__file__).parent.parent / "scenarios"
WRANGLER = """\
{
  "name": "shop",
  "workflows": [{
    "name": "order-flow",
    "binding": "ORDERS",
    "class_name": "OrderFlow",
    "schedules": ["30 4 1 * *", "0 0 * * *", "*/15  * * * MON-FRI"],
  }],
}
"""
BOTH = ("everything.sim.ts", "everything_sim.py")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    files = {path.name: path.read_text(encoding="utf-8") for path in SCENARIOS.glob("*sim.*")}
    files["wrangler.jsonc"] = WRANGLER
    files["worker.ts"] = "export class OrderFlow {}\nexport default { fetch() {} };\n"
    write(folder, files)
    monkeypatch.setenv("EUTAXY_CACHE", str(own_cache(tmp_path)))
    monkeypatch.chdir(folder)
    return folder


def test_both_languages_say_the_same(project: Path) -> None:
    scenarios: list[Scenario] = [
        replace(placeless(load_scenario(name).scenario), path="") for name in BOTH
    ]
    assert scenarios[0] == scenarios[1]


@pytest.mark.parametrize("name", BOTH)
def test_r_run_5_the_driver_may_say_how_long_an_instance_is_kept(project: Path, name: str) -> None:
    """R-RUN-5: `create` is handed whole milliseconds."""
    calls = [each for each in load_scenario(name).scenario.drive if isinstance(each, DirectCall)]
    kept = [each.args for each in calls if "Retention" in each.args]
    retention: Plain = {"successRetention": 3_600_000, "errorRetention": 5_000}
    assert kept == [encode({"options": {"retention": retention}})]


@pytest.mark.parametrize("name", BOTH)
def test_r_cron_1_firings_come_at_the_next_moments(project: Path, name: str) -> None:
    """R-CRON-1: the drive stands a little after 31 January; the next 1st is a Sunday."""
    firings = [
        each for each in load_scenario(name).scenario.drive if isinstance(each, FireSchedule)
    ]
    moments = [datetime.fromtimestamp(each.scheduled_ms / 1000, UTC) for each in firings]
    assert [f"{each:%a %d %b %H:%M}" for each in moments] == [
        "Sun 01 Feb 04:30",
        "Mon 02 Feb 00:00",
    ]
    assert [each.due_ms + EPOCH_MS for each in firings] == [each.scheduled_ms for each in firings]


@pytest.mark.parametrize(
    ("schedules", "found", "remedy"),
    [
        ("", "the config gives it no schedule (wrangler.jsonc:5)", '"schedules": ["30 4 1 * *"]'),
        (
            '"schedules": "30 4 2 * *",',
            '"30 4 1 * *" (did you mean `30 4 2 * *`?) is no schedule of it (wrangler.jsonc:5)',
            "use one of its schedules: 30 4 2 * *",
        ),
    ],
)
def test_a_schedule_that_the_config_lacks(
    project: Path, schedules: str, found: str, remedy: str
) -> None:
    line = '"schedules": ["30 4 1 * *", "0 0 * * *", "*/15  * * * MON-FRI"],'
    assert line in WRANGLER
    (project / "wrangler.jsonc").write_text(WRANGLER.replace(line, schedules), encoding="utf-8")
    with pytest.raises(ScenarioError) as error:
        load_scenario(BOTH[0])
    assert (error.value.doing, error.value.found) == (
        "reading monthly, a firing of ORDERS",
        found,
    )
    assert remedy in error.value.remedy
    assert error.value.place.startswith("everything.sim.ts:")


# -- functions ------------------------------------------------------------------------------------


def _function(loaded: Loaded, name: str) -> FunctionRef:
    """The function of an invariant, or "handle" or "dedupe" of the vault."""
    for external in loaded.scenario.externals:
        if external.stateful is not None and name == "handle":
            return external.stateful.function
        if (
            external.dedupe is not None
            and external.dedupe.function is not None
            and name == "dedupe"
        ):
            return external.dedupe.function
    (function,) = (
        each.function
        for each in loaded.scenario.invariants
        if isinstance(each, RowsHold | TraceHolds) and each.name == name
    )
    return function


def _request(method: str, body: Any = None, **headers: str) -> dict[str, Any]:
    url = "https://vault.example/moves"
    return {"method": method, "url": url, "path": "/moves", "headers": headers, "body": body}


def _value(tree: Any) -> Value:
    return encode(tree)


@pytest.fixture(params=BOTH)
def loaded(project: Path, request: pytest.FixtureRequest) -> Iterator[Loaded]:
    loaded = load_scenario(request.param)
    with closing(loaded.functions):
        yield loaded


def test_predicates(loaded: Loaded) -> None:
    rows = [{"id": "a", "status": "complete"}]
    call, done = loaded.functions.call, _function(loaded, "done")
    assert call(done, _value(rows)) == "true"
    assert call(done, _value([*rows, {"id": "b", "status": "errored"}])) == "false"
    assert call(_function(loaded, "few"), _value([0] * 6)) == "false"
    assert call(_function(loaded, "short"), _value([])) == "true"


def test_a_function_that_gives_keys(loaded: Loaded) -> None:
    call, key = loaded.functions.call, _function(loaded, "dedupe")
    assert call(key, _value(_request("POST", **{"x-key": "k-1"}))) == '"k-1"'
    assert call(key, _value(_request("POST"))) == "null"


def test_a_service_with_state(loaded: Loaded) -> None:
    call, handle = loaded.functions.call, _function(loaded, "handle")
    state = {"alice": 100, "bob": 0}
    move = {"from": "alice", "to": "bob", "cents": 30}
    assert call(handle, _value({"request": _request("POST", move), "state": state})) == _value(
        {
            "state": {"alice": 70, "bob": 30},
            "response": {"status": 201, "headers": {}, "body": None},
            "applied": True,
        }
    )
    assert call(handle, _value({"request": _request("GET"), "state": state})) == _value(
        {
            "state": state,
            "response": {
                "status": 200,
                "headers": {"content-type": "application/json"},
                "body": '{"alice":100,"bob":0}',
            },
            "applied": False,
        }
    )
    move["cents"] = 500
    assert call(handle, _value({"request": _request("POST", move), "state": state})) == _value(
        {
            "state": state,
            "response": {
                "status": 409,
                "headers": {"content-type": "text/plain;charset=UTF-8"},
                "body": "no money",
            },
            "applied": True,
        }
    )


def test_a_function_is_called_once_for_each_argument(loaded: Loaded) -> None:
    few = _function(loaded, "few")
    assert loaded.functions.call(few, Value("[]")) == "true"
    loaded.functions.close()
    # No process is started again for what is known.
    assert loaded.functions._process is not None
    assert loaded.functions.call(few, Value("[]")) == "true"
    assert loaded.functions._process._child is None
    loaded.functions.evaluate_again()


def test_without_a_call_no_process_is_started(loaded: Loaded) -> None:
    assert loaded.functions._process is None


# Each: the language, a part of the scenario, what stands there instead, what is called with what,
# what is said, and where
# (empty: at the part).
WRONG = [
    (0, "rows.length <= 5", "rows[0].id.length > 0", "few", "[]", "it throws TypeError: Cannot read properties of undefined", ""),
    (0, "rows.length <= 5", "rows.length", "few", "[]", "it returns 0, but must return true or false", ""),
    (0, "rows.length <= 5", "undefined", "few", "[]", "it returns nothing, but must return true or false", ""),
    (0, "rows.length <= 5", "Promise.resolve(true)", "few", "[]", "it returns a promise", ""),
    (0, "rows.length <= 5", "() => true", "few", "[]", "it returns function", ""),
    (0, "rows.length <= 5", "Date.now() > 0", "few", "[]", "Date.now() would make the scenario differ", ""),
    (0, "rows.length <= 5", "Math.random() < 2", "few", "[]", "Math.random() would make the scenario differ", ""),
    (0, "rows.length <= 5", "{ for (;;); }", "few", "[]", "it did not return within 1 s", ""),
    (0, "rows.length <= 5", "process.exit(3)", "few", "[]", "ended with exit code 3", ""),
    (0, 'request.headers["x-key"] ?? null', "5", "dedupe", "{}", "it returns 5, but must return a text, or null", 'external("vault"'),
    (0, "response: { body: state }", "response: { status: 5 }", "handle", '{"request":{"method":"GET"},"state":{}}', "but must return { state, response", 'external("vault"'),
    (0, "response: { body: state }", "response: { body: new Map() }", "handle", '{"request":{"method":"GET"},"state":{}}', "it throws TypeError: the body has a Map", 'external("vault"'),
    (1, "len(rows) <= 5", 'rows[0]["id"]', "few", "[]", "it raises IndexError: list index out of range", ""),
    (1, "len(rows) <= 5", "len(rows)", "few", "[]", "it returns 0, but must return true or false", ""),
    (1, "len(rows) <= 5", "None", "few", "[]", "it returns null, but must return true or false", ""),
    (1, "len(rows) <= 5", "{1}", "few", "[]", "it returns a set", ""),
    (1, "len(rows) <= 5", "{1: 2}", "few", "[]", "it returns the key 1", ""),
    (1, "len(rows) <= 5", "__import__('time').time() > 0", "few", "[]", "time.time() would make the scenario differ", ""),
    (1, "len(rows) <= 5", "__import__('random').random() < 2", "few", "[]", "random.random() would make the scenario differ", ""),
    (1, "len(rows) <= 5", "__import__('datetime').datetime.now()", "few", "[]", "datetime.now() would make the scenario differ", ""),
    (1, "len(rows) <= 5", "__import__('datetime').date.today()", "few", "[]", "date.today() would make the scenario differ", ""),
    (1, "len(rows) <= 5", "__import__('uuid').uuid4()", "few", "[]", "uuid.uuid4() would make the scenario differ", ""),
    (1, "len(rows) <= 5", "__import__('os').urandom(1)", "few", "[]", "os.urandom() would make the scenario differ", ""),
    (1, "len(rows) <= 5", "[0 for _ in iter(int, 1)]", "few", "[]", "it did not return within 1 s", ""),
    (1, "len(rows) <= 5", "__import__('os')._exit(3)", "few", "[]", "ended with exit code 3", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "part", "replacement", "name", "argument", "says", "pointed"), WRONG
)
def test_what_a_function_may_not_do(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    language: int,
    part: str,
    replacement: str,
    name: str,
    argument: str,
    says: str,
    pointed: str,
) -> None:
    monkeypatch.setattr("eutaxy._session.functions._DEADLINE_S", 1.0)
    file = project / BOTH[language]
    text = file.read_text(encoding="utf-8")
    assert text.count(part) == 1
    line = text.count("\n", 0, text.index(pointed or part)) + 1
    file.write_text(text.replace(part, replacement), encoding="utf-8")
    loaded = load_scenario(file.name)
    with closing(loaded.functions), pytest.raises(ScenarioError) as caught:
        loaded.functions.call(_function(loaded, name), Value(argument))
    assert says in caught.value.found
    assert caught.value.place.rsplit(":", 1)[0] == f"{file.name}:{line}"
    assert caught.value.doing.startswith("calling ")


@pytest.mark.parametrize(
    ("language", "part", "replacement"),
    [
        (0, "rows.length <= 5", "rows.length > counter.n++"),
        (1, "len(rows) <= 5", "counter.append(0) or len(counter) != 2"),
    ],
)
def test_a_function_that_is_not_pure_is_found(
    project: Path, language: int, part: str, replacement: str
) -> None:
    file = project / BOTH[language]
    text = file.read_text(encoding="utf-8").replace(part, replacement)
    text += ("", "\ncounter: list[int] = []\n")[language]
    text = text.replace("const orders =", "const counter = { n: 0 };\nconst orders =")
    file.write_text(text, encoding="utf-8")
    loaded = load_scenario(file.name)
    few = _function(loaded, "few")
    with closing(loaded.functions):
        loaded.functions.call(few, Value("[0]"))
        loaded.functions.call(few, Value("[1]"))
        with pytest.raises(ScenarioError) as caught:
            loaded.functions.evaluate_again()
    assert "the second time, both times for [" in caught.value.found
    assert caught.value.place.startswith(file.name)


# -- mistakes -------------------------------------------------------------------------------------

# Each: a part of the TypeScript scenario, what stands there instead, where the error is (a part of
# the new text), and what is said.
MISTAKES = [
    ('{ event: "req-1" }', '{ event: "rq-1" }', '"rq-1"', 'no earlier event "rq-1" (did you mean `req-1`?)'),
    ("expectStatus: 202", "expect_status: 202", "expect_status", "`expect_status` (did you mean `expectStatus`?)"),
    ("payload: { cents: 4200, $: [null] }", "payload: new Map()", "sendEvent(\"ORDERS\", \"o-1\"", "payload has a Map, which JSON cannot say"),
    ("payload: { cents: 4200, $: [null] }", "payload: [{ when: new Date(0) }]", "sendEvent(\"ORDERS\", \"o-1\"", "payload has a Date, which JSON cannot say"),
    ("params: { id: \"o-2\", note: null }", "params: { n: NaN }", "createInstance(\"ORDERS\", { id", "params has NaN, which JSON cannot say"),
    ('"args.body.kind": "card"', '"args.bodi.kind": "card"', '"args.bodi.kind"', '"bodi" (did you mean `body`?)'),
    ("dedupeBy: { body: \"key\" }", "dedupeBy: 5", "dedupeBy: 5", "`dedupeBy` is the number 5"),
    ('once: "POST /charges"', 'once: "POST /charge"', 'once: "POST /charge"', "(did you mean `POST /charges`?)"),
    ('"errored", {', '"failed", {', '"failed", {', '`status` is "failed"'),
    ('"refund"), "params.id"', '"refund"), "param.id"', '"param.id"', "(did you mean `params`?)"),
    ("(rows) => rows.length <= 5", "5", 'always("few"', "`holds` is the number 5"),
    ("answerLost: 1", "answerLos: 1", "answerLos", '`faults` has "answerLos" (did you mean `answerLost`?)'),
    ("times(2,", "times(-2,", "times(-2", "times() was told to make -2 things"),
    ('["unkeyed-repeat"]', '["unkeyed-repeats"]', '"unkeyed-repeats"', "(did you mean `unkeyed-repeat`?)"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "replacement", "pointed", "says"), MISTAKES)
def test_mistakes_in_typescript(
    project: Path, part: str, replacement: str, pointed: str, says: str
) -> None:
    file = project / BOTH[0]
    text = file.read_text(encoding="utf-8")
    assert text.count(part) == 1
    text = text.replace(part, replacement)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file.name)
    assert says in caught.value.found
    line = text.count("\n", 0, text.index(pointed)) + 1
    assert caught.value.place.rsplit(":", 1)[0] == f"{file.name}:{line}"


# -- in a check -----------------------------------------------------------------------------------

SHOP = """\
import { WorkflowEntrypoint } from "cloudflare:workers";
export class OrderFlow extends WorkflowEntrypoint {
  async run(event, step) {
    await step.do("pay", async () => {
      const body = JSON.stringify({ order: event.payload.id, cents: 60 });
      const paid = await fetch("https://vault.example/moves", { method: "POST", body });
      return paid.status;
    });
  }
}
export default {
  async fetch(request, env) {
    const { id } = await request.json();
    await env.ORDERS.create({ id, params: { id } });
    return Response.json({ id }, { status: 202 });
  },
};
"""
CHECKED = """\
import { always, defineScenario, eventually, external, fetchCall, http, never } from "eutaxy/cloudflare";
import { workflow, workflowRows } from "eutaxy/cloudflare";

const rows = workflowRows("ORDERS");

export default defineScenario({
  name: "checked",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  setup: [workflow("ORDERS", "OrderFlow")],
  drive: http([{ path: "/", body: { id: "o-1" } }]),
  externals: [
    external("vault", "vault.example", {
      state: { cents: 100 },
      handle: (request, state) => {
        const left = state.cents - request.body.cents;
        if (left < 0) return { response: { status: 409 } };
        return { state: { cents: left }, response: { status: 201 } };
      },
    }),
  ],
  invariants: [
    never("never-short", fetchCall("vault", "POST", { where: { "answer.status": 409 } })),
    always("one-run", rows, (rows) => rows.length < 2),
    eventually("done", rows, (rows) => rows.every((row) => row.status === "complete")),
  ],
  without: ["unkeyed-repeat"],
  bounds: { maxRedeliveries: 0, maxFaultsPerRun: 1 },
});
"""


@pytest.fixture
def shop(project: Path) -> Path:
    write(project, {"worker.ts": SHOP, "checked.sim.ts": CHECKED})
    return project / "checked.sim.ts"


def test_a_service_with_state_tells_the_second_payment_from_the_first(shop: Path) -> None:
    verdict = check("checked.sim.ts")
    assert verdict.kind is VerdictKind.VIOLATED
    assert [each.invariant for each in verdict.violations] == ["never-short"]
    shop.write_text(CHECKED.replace("cents: 100", "cents: 120"), encoding="utf-8")
    assert check("checked.sim.ts").kind is VerdictKind.BOUNDED


def test_predicates_over_rows_are_judged_always_and_at_rest(shop: Path) -> None:
    text = CHECKED.replace("cents: 100", "cents: 120").replace("rows.length < 2", "rows.length < 1")
    shop.write_text(text, encoding="utf-8")
    assert [each.invariant for each in check("checked.sim.ts").violations] == ["one-run"]
    text = CHECKED.replace("cents: 100", "cents: 120").replace('"complete"', '"errored"')
    shop.write_text(text, encoding="utf-8")
    assert [each.invariant for each in check("checked.sim.ts").violations] == ["done"]


def test_a_check_ends_with_the_line_of_a_function_that_throws(shop: Path) -> None:
    text = CHECKED.replace("rows.length < 2", "rows[0].nothing.length < 2")
    shop.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        check("checked.sim.ts")
    line = text.count("\n", 0, text.index("nothing")) + 1
    assert caught.value.place.startswith(f"checked.sim.ts:{line}:")


def test_a_check_refuses_a_function_that_is_not_pure(shop: Path) -> None:
    text = CHECKED.replace("const rows", "let asked = 0;\nconst rows")
    text = text.replace("rows.length < 2", "rows.length < 2 && (asked += 1) !== 2")
    shop.write_text(text.replace("cents: 100", "cents: 120"), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        check("checked.sim.ts")
    assert "the second time" in caught.value.found
