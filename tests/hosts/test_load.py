"""Loading scenarios of both languages with Workers of both, in real child processes."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from eutaxy._base.scenario import HttpRequest, Scenario
from eutaxy._hosts.toolchain import Node
from eutaxy._session.evaluate import ScenarioFile, bundle_scenario, evaluate_typescript
from eutaxy._session.load import Loaded, load_scenario
from eutaxy._session.worker import Language
from eutaxy.errors import ExitCode, ScenarioError
from tests.hosts.toolbox import esbuild, own_cache, placeless, write

pytestmark = pytest.mark.host

TYPESCRIPT = """\
import { defineScenario, external, fetchCall, http } from "eutaxy/cloudflare";
import { atMostOncePerKey, unique, workflow, workflowRows } from "eutaxy/cloudflare";
interface Order { readonly id: string; readonly cents: number }

const order: Order = { id: "o-1", cents: 4200 };

export default defineScenario({
  name: "orders",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  setup: [workflow("ORDERS", "OrderFlow")],
  drive: http([
    { path: "/orders", body: order },
    { path: "/orders/o-1/confirm?fast=1", method: "put", after: "5 minutes" },
  ]),
  externals: [
    external("bank", "bank.example", {
      dedupeBy: "Idempotency-Key",
      responses: [{ method: "POST", path: "/pay", status: 201, body: { ok: true } }],
    }),
  ],
  invariants: [
    atMostOncePerKey("paid-once", fetchCall("bank", "POST"), "args.body.id"),
    unique("one-run", workflowRows("ORDERS"), "params.id"),
  ],
  bounds: { maxFaultsPerRun: 2, maxRedeliveries: 0, maxConcurrentInvocations: 2, budgetMs: 4000 },
  downtime: 1500,
});
"""
PYTHON = """\
from eutaxy.cloudflare import at_most_once_per_key, bounds, define_scenario, external, fetch_call
from eutaxy.cloudflare import http, unique, workflow, workflow_rows

ORDER = {"id": "o-1", "cents": 4200.0}

scenario = define_scenario(
    name="orders",
    worker={"entry": "./worker.ts", "config": "./wrangler.jsonc"},
    setup=[workflow("ORDERS", "OrderFlow")],
    drive=http(
        [
            {"path": "/orders", "body": ORDER},
            {"path": "/orders/o-1/confirm?fast=1", "method": "put", "after": "5 minutes"},
        ]
    ),
    externals=[
        external(
            "bank",
            "bank.example",
            dedupe_by="Idempotency-Key",
            responses=[{"method": "POST", "path": "/pay", "status": 201, "body": {"ok": True}}],
        )
    ],
    invariants=[
        at_most_once_per_key("paid-once", fetch_call("bank", "POST"), "args.body.id"),
        unique("one-run", workflow_rows("ORDERS"), "params.id"),
    ],
    bounds=bounds(
        max_faults_per_run=2, max_redeliveries=0, max_concurrent_invocations=2, budget_ms=4000
    ),
    downtime=1500,
)
"""
WRANGLER = """\
{
  "name": "shop",
  "main": "./worker.ts",
  "compatibility_date": "2026-10-01",
  "workflows": [{ "name": "order-flow", "binding": "ORDERS", "class_name": "OrderFlow" }],
  "vars": { "LIMIT": 5 },
}
"""
WORKER = """\
import { WorkflowEntrypoint } from "cloudflare:workers";
export class OrderFlow extends WorkflowEntrypoint {}
export const LIMIT = 7;
export default { fetch: () => new Response("ok") };
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    files = {
        "orders.sim.ts": TYPESCRIPT,
        "orders_sim.py": PYTHON,
        "wrangler.jsonc": WRANGLER,
        "worker.ts": WORKER,
        "worker.py": "",
    }
    write(folder, files)
    for name in files:
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))
    monkeypatch.setenv("EUTAXY_CACHE", str(own_cache(tmp_path)))
    monkeypatch.chdir(folder)
    return folder


def _change(file: Path, part: str, replacement: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert part in text
    file.write_text(text.replace(part, replacement), encoding="utf-8")


def _refused(shown: str) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(shown)
    assert caught.value.exit_code is ExitCode.USAGE
    assert caught.value.remedy
    return caught.value


def _without_places(scenario: Scenario) -> Scenario:
    bare: Scenario = replace(placeless(scenario), path="")
    return bare


def test_both_languages_say_the_same(project: Path) -> None:
    javascript = load_scenario("./orders.sim.ts").scenario
    python = load_scenario("./orders_sim.py").scenario
    assert _without_places(javascript) == _without_places(python)
    (request, _) = javascript.drive
    assert isinstance(request, HttpRequest)
    assert request.body == '"{\\"id\\":\\"o-1\\",\\"cents\\":4200}"'


@pytest.mark.parametrize("scenario", ["orders.sim.ts", "orders_sim.py"])
@pytest.mark.parametrize("worker", ["worker.ts", "worker.py"])
def test_all_four_combinations(project: Path, scenario: str, worker: str) -> None:
    _change(project / scenario, "./worker.ts", f"./{worker}")
    loaded = load_scenario(scenario)
    assert loaded.scenario.entry == str(project / worker)
    assert loaded.worker.root == str(project)
    assert loaded.worker.date == "2026-10-01"
    assert loaded.worker.env == {
        "ORDERS": {"type": "workflow", "name": "order-flow", "class": "OrderFlow"},
        "LIMIT": {"type": "value", "value": "5"},
    }
    if worker == "worker.py":
        assert loaded.worker.language is Language.PYTHON
        assert loaded.worker.code == str(project / "worker.py")
        assert loaded.node is None
    else:
        assert loaded.worker.language is Language.JAVASCRIPT
        assert 'require("cloudflare:workers")' in Path(loaded.worker.code).read_text("utf-8")
        assert loaded.node is not None


def _places(loaded: Loaded) -> list[str]:
    scenario = loaded.scenario
    parts = [*scenario.setup, *scenario.drive, *scenario.externals, *scenario.invariants]
    return [part.place for part in parts]


def test_places_in_typescript_are_those_of_the_source(project: Path) -> None:
    assert _places(load_scenario("orders.sim.ts")) == [
        "orders.sim.ts:10:11",
        "orders.sim.ts:12:5",
        "orders.sim.ts:13:5",
        "orders.sim.ts:16:5",
        "orders.sim.ts:22:5",
        "orders.sim.ts:23:5",
    ]


def test_places_follow_how_the_user_named_the_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    assert _places(load_scenario("project/orders_sim.py"))[0] == "project/orders_sim.py:9:12"
    assert _places(load_scenario("./project/orders.sim.ts"))[0] == "project/orders.sim.ts:10:11"
    absolute = str(project / "orders.sim.ts")
    assert _places(load_scenario(absolute))[0] == f"{absolute}:10:11"


def test_nothing_is_written_into_the_project(project: Path) -> None:
    before = sorted(project.rglob("*"))
    write(project, {"extra.py": "X = 1\n"})
    _change(project / "orders_sim.py", "from eutaxy", "import extra\nfrom eutaxy")
    load_scenario("orders.sim.ts")
    load_scenario("orders_sim.py")
    assert sorted(project.rglob("*")) == sorted([*before, project / "extra.py"])


def test_a_second_evaluation_needs_no_node(project: Path) -> None:
    file = ScenarioFile(path=project / "orders.sim.ts", shown="orders.sim.ts")
    cache = Path(os.environ["EUTAXY_CACHE"])

    def no_node() -> Node:
        raise AssertionError

    first = load_scenario("orders.sim.ts").scenario
    bundled = bundle_scenario(file, esbuild=esbuild(), cache=cache)
    again = evaluate_typescript(file, bundled, node=no_node, cache=cache)
    assert again["given"]["name"] == first.name
    assert load_scenario("orders.sim.ts").scenario == first


@pytest.mark.parametrize("wheel", [False, True])
def test_every_node_evaluates(
    project: Path, monkeypatch: pytest.MonkeyPatch, *, wheel: bool
) -> None:
    if wheel:
        monkeypatch.setenv("PATH", "")
    assert load_scenario("orders.sim.ts").scenario.name == "orders"


def test_a_scenario_may_import_from_its_project(project: Path) -> None:
    write(project, {"part.ts": 'export const NAME: string = "from part";'})
    _change(project / "orders.sim.ts", 'name: "orders"', "name: NAME + LIMIT")
    _change(
        project / "orders.sim.ts",
        "interface",
        'import { LIMIT } from "./worker.ts";\nimport { NAME } from "./part.ts";\ninterface',
    )
    assert load_scenario("orders.sim.ts").scenario.name == "from part7"


def test_a_scenario_may_wait_and_print(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _change(
        project / "orders.sim.ts",
        "export default",
        'console.log("hello"); await Promise.resolve();\nexport default',
    )
    assert load_scenario("orders.sim.ts").scenario.name == "orders"
    assert "hello" in capsys.readouterr().err
    _change(project / "orders_sim.py", "ORDER = ", 'print("hello from Python")\nORDER = ')
    assert load_scenario("orders_sim.py").scenario.name == "orders"
    assert "hello from Python" in capsys.readouterr().err


def test_javascript_scenarios(project: Path) -> None:
    plain = TYPESCRIPT.replace(
        "interface Order { readonly id: string; readonly cents: number }", ""
    )
    write(project, {"orders.sim.mjs": plain.replace(": Order", "")})
    assert load_scenario("orders.sim.mjs").scenario.name == "orders"
    common = (
        plain.replace(": Order", "")
        .replace("import {", "const {")
        .replace('} from "eutaxy/cloudflare"', '} = require("eutaxy/cloudflare")')
        .replace("export default", "module.exports =")
    )
    write(project, {"orders.sim.cjs": common})
    loaded = load_scenario("orders.sim.cjs")
    assert loaded.scenario.setup[0].place == "orders.sim.cjs:10:11"


# Each: file, part of it, replacement, place, what is said.
WRONG_IN_TYPESCRIPT = [
    ("dedupeBy:", "dedupBy:", "orders.sim.ts:17:7", "`dedupBy` (did you mean `dedupeBy`?)"),
    ("maxRedeliveries: 0", "maxRedelivery: 0", "orders.sim.ts:25:33", "`maxRedelivery` (did you mean"),
    ("maxFaultsPerRun: 2", "maxFaultsPerRun: NaN", "orders.sim.ts:25:13", "`maxFaultsPerRun` is NaN"),
    ("bounds:", "bound:", "orders.sim.ts:25:3", "`bound` (did you mean `bounds`?)"),
    ("budgetMs: 4000", "budgetMs: '4'", "orders.sim.ts:25:82", 'the text "4"'),
    ("body: order", "body: order, after: () => 5", "orders.sim.ts:12:37", "`after` is a function"),
    ('"ORDERS", "OrderFlow"', '"ORDERS", "OrderFlow", {}, 3', "orders.sim.ts:10:11", "takes 3 arguments, but got 4"),
    ('workflow("ORDERS", "OrderFlow")', '{ binding: "ORDERS" }', "orders.sim.ts:7:16", "`setup` has an object"),
    ('fetchCall("bank", "POST")', 'workflowRows("ORDERS")', "orders.sim.ts:22:35", "what workflowRows() returns, but takes fetchCall(...)"),
    ('fetchCall("bank"', 'fetchCall("bnak"', "orders.sim.ts:22:46", "did you mean `bank`?"),
    ('atMostOncePerKey("paid-once"', 'atMostOncePerKey(true', "orders.sim.ts:22:5", "the boolean true"),
    ("body: { ok: true }", "body: new Map()", "orders.sim.ts:16:5", "the body of response 1 has a Map"),
    ("body: { ok: true }", "body: 1n", "orders.sim.ts:16:5", "the body of response 1 has a bigint"),
    ("body: { ok: true }", "body: { when: [new Date(0)] }", "orders.sim.ts:16:5", "the body of response 1 has a Date, which JSON"),
    ("body: order", "body: new Date(0)", "orders.sim.ts:11:10", "the body of request 1 has a Date, which JSON"),
    ("body: order", "body: { cents: NaN }", "orders.sim.ts:11:10", "the body of request 1 has NaN, which JSON"),
    ("export default defineScenario(", "export default defineScenario(null); (", "orders.sim.ts:7:16", "the argument of defineScenario() is nothing, but must be an object"),
    ("const order", "throw new RangeError('no');\nconst order", "orders.sim.ts:5:7", "it throws RangeError: no"),
    ("const order", "throw new Date();\nconst order", "orders.sim.ts:5:7", "differ from run to run"),
    ("const order", "Math.random();\nconst order", "orders.sim.ts:5:6", "differ from run to run"),
    ("const order", "crypto.randomUUID();\nconst order", "orders.sim.ts:5:8", "differ from run to run"),
    ("const order: Order =", "const order: Order == 5", "orders.sim.ts:5:20", "Expected"),
    ('"eutaxy/cloudflare"', '"eutaxy/clodflare"', "orders.sim.ts:1:59", "Could not resolve"),
    ("export default", "export const scenario =", "orders.sim.ts", "exported as scenario"),
    ("export default defineScenario(", "export default (", "orders.sim.ts", "not what defineScenario returns"),
    ("export default", "const scenario =", "orders.sim.ts", "no default export"),
    ("const order", "process.exit(3);\nconst order", "orders.sim.ts", "exit code 3"),
    ("./worker.ts", "./worker.rb", "orders.sim.ts:9:21", "no file ./worker.rb"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "replacement", "place", "says"), WRONG_IN_TYPESCRIPT)
def test_what_is_wrong_in_a_typescript_scenario(
    project: Path, part: str, replacement: str, place: str, says: str
) -> None:
    _change(project / "orders.sim.ts", part, replacement)
    error = _refused("./orders.sim.ts")
    assert says in error.found
    assert error.place == place
    assert error.doing == "loading the scenario ./orders.sim.ts"


WRONG_IN_PYTHON = [
    ("ORDER = {", "ORDER = (", "orders_sim.py:4:38", "it raises SyntaxError"),
    ("ORDER = {", "1 / 0\nORDER = {", "orders_sim.py:4:1", "it raises ZeroDivisionError: division by zero"),
    ("import http", "import htp", "orders_sim.py:2:1", "it raises ImportError"),
    ("dedupe_by", "dedup_by", "orders_sim.py:17:9", "'dedup_by' (did you mean dedupe_by?)"),
    ("budget_ms", "max_time", "orders_sim.py:28:12", "(it takes max_faults_per_run, max_redeliveries"),
    ('"body": ORDER', '"body": {1, 2}', "orders_sim.py:10:11", "it raises TypeError: Object of type set"),
    ('"body": ORDER', '"body": float("nan")', "orders_sim.py:10:11", "it raises ValueError"),
    ("scenario = define_scenario", "define_scenario", "orders_sim.py", "no variable of it holds a scenario"),
    ("ORDER = {", "raise SystemExit(0)\nORDER = {", "orders_sim.py:4:1", "it raises SystemExit"),
    ("ORDER = {", "import os; os._exit(3)\nORDER = {", "orders_sim.py", "exit code 3"),
    ('entry": "./worker.ts"', 'entry": "./worker.txt"', "orders_sim.py", "which is no known language"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "replacement", "place", "says"), WRONG_IN_PYTHON)
def test_what_is_wrong_in_a_python_scenario(
    project: Path, part: str, replacement: str, place: str, says: str
) -> None:
    (project / "worker.txt").touch()
    _change(project / "orders_sim.py", part, replacement)
    error = _refused("orders_sim.py")
    assert says in error.found
    assert error.place == place


def test_several_scenarios_in_a_python_file(project: Path) -> None:
    file = project / "orders_sim.py"
    text = file.read_text(encoding="utf-8")
    _, _, definition = text.partition("scenario = ")
    other = definition.replace('name="orders"', 'name="other"')
    file.write_text(f"{text}\nother = {other}", encoding="utf-8")
    assert load_scenario("orders_sim.py").scenario.name == "orders"
    _change(file, "scenario = define", "first = define")
    error = _refused("orders_sim.py")
    assert error.found == "it defines 2 scenarios: first, other"
    _change(file, "\nother = define", "\nfirst = define")
    assert load_scenario("orders_sim.py").scenario.name == "other"


@pytest.mark.parametrize("name", ["orders.sim.ts", "orders_sim.py"])
def test_a_scenario_that_never_ends(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("eutaxy._session.evaluate._DEADLINE_S", 1.0)
    loop = "for (;;);\nconst order" if name.endswith(".ts") else "while True: pass\nORDER = "
    _change(project / name, "const order" if name.endswith(".ts") else "ORDER = ", loop)
    assert "did not end within 1 s" in _refused(name).found


@pytest.mark.parametrize(
    "code",
    [
        'import { readFileSync } from "node:fs"; readFileSync("worker.ts");',
        'import { writeFileSync } from "node:fs"; writeFileSync("/tmp/made-by-a-scenario", "");',
        'import { spawnSync } from "node:child_process"; spawnSync("true");',
        'import { Worker } from "node:worker_threads"; new Worker("0", { eval: true });',
    ],
)
def test_a_typescript_scenario_cannot_touch_the_machine(project: Path, code: str) -> None:
    _change(project / "orders.sim.ts", "const order", f"{code}\nconst order")
    error = _refused("orders.sim.ts")
    assert error.found == "it throws Error: a scenario may not touch files, processes or threads"
    assert error.place.startswith("orders.sim.ts:5:")


def test_missing_files(project: Path) -> None:
    error = _refused("./order.sim.ts")
    assert error.found == "there is no such file (did you mean `orders.sim.ts`?)"
    assert "orders.sim.ts, orders_sim.py" in error.remedy
    assert "no directory" in _refused("./nowhere/orders.sim.ts").found
    assert "is a directory" in _refused(".").found
    assert 'ends with ".jsonc"' in _refused("wrangler.jsonc").found


def test_the_config_must_fit(project: Path) -> None:
    _change(project / "wrangler.jsonc", "ORDERS", "ORDER")
    error = _refused("orders.sim.ts")
    assert error.place == "orders.sim.ts:10:11"
    assert "wrangler.jsonc has no workflow with the binding ORDERS" in error.found
    (project / "wrangler.jsonc").unlink()
    assert "there is no such file" in _refused("orders.sim.ts").found


def test_a_mistake_in_the_worker_is_found_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, {"worker.ts": "export default {\n  fetch( {}\n}"})
    monkeypatch.chdir(project.parent)
    error = _refused("project/orders.sim.ts")
    assert error.doing == "bundling the Worker project/worker.ts"
    assert error.place.startswith("project/worker.ts:3:")


def test_a_damaged_memory_of_an_evaluation_is_not_trusted(project: Path) -> None:
    load_scenario("orders.sim.ts")
    (remembered,) = (Path(os.environ["EUTAXY_CACHE"]) / "scenarios").iterdir()
    json.loads(remembered.read_text(encoding="utf-8"))
    remembered.write_text("{", encoding="utf-8")
    assert load_scenario("orders.sim.ts").scenario.name == "orders"
