"""What a wrangler config makes of a TypeScript Worker: data modules, aliases, entry, environments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eutaxy._session.hosts import open_host
from eutaxy._session.load import load_scenario
from eutaxy.errors import ScenarioError
from tests.hosts.node_world import outcome, request_entry
from tests.hosts.toolbox import own_cache, write

pytestmark = pytest.mark.host

SCENARIO = """\
import { defineScenario, http } from "eutaxy/cloudflare";
export default defineScenario({
  name: "shop",
  worker: { config: "./wrangler.jsonc" },
  drive: http([{ path: "/" }]),
  invariants: [],
} as any);
"""
CONFIG: dict[str, Any] = {
    "name": "shop",
    "main": "src/index.ts",
    "compatibility_date": "2026-10-01",
}
# (module (func (export "answer") (result i32) i32.const 42))
WASM = bytes.fromhex(
    "0061736d010000000105016000017f03020100070a0106616e7377657200000a06010400412a0b"
)
TEXTS = "import page from './page.html'; import query from './sql/query.sql';"
# Imports that nothing uses may be left out of a bundle of TypeScript.
USED = "console.log(typeof notes, typeof page, typeof query);"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    write(
        folder,
        {
            "shop.sim.ts": SCENARIO,
            "src/page.html": "<p>é</p>",
            "src/sql/query.sql": "select 1",
            "src/notes.md": "# notes",
            "src/empty.txt": "",
        },
    )
    (folder / "src" / "data.bin").write_bytes(b"\x00\xff")
    (folder / "src" / "sum.wasm").write_bytes(WASM)
    monkeypatch.setenv("EUTAXY_CACHE", str(own_cache(tmp_path)))
    monkeypatch.chdir(folder)
    return folder


def _answer(folder: Path, code: str, *, environment: str = "", **config: Any) -> Any:
    """The body that the Worker answers with, as JSON."""
    _write(folder, code, **config)
    with open_host(load_scenario("shop.sim.ts", environment=environment)) as host:
        kind, value = outcome(host.evaluate(request_entry(), []))
    assert kind == "returned", value
    return json.loads(value["body"])


def _write(folder: Path, code: str, **config: Any) -> None:
    (folder / "wrangler.jsonc").write_text(
        "// A comment.\n" + json.dumps(CONFIG | config), encoding="utf-8"
    )
    (folder / "src" / "index.ts").write_text(code, encoding="utf-8")


def _refused(folder: Path, code: str, environment: str = "", **config: Any) -> ScenarioError:
    _write(folder, code, **config)
    with pytest.raises(ScenarioError) as caught:
        load_scenario("shop.sim.ts", environment=environment)
    return caught.value


def _serving(expression: str, head: str = "") -> str:
    return (
        f"{head}\nexport default {{ async fetch(request, env) "
        f"{{ return Response.json({expression}); }} }};\n"
    )


def test_text_is_a_string(project: Path) -> None:
    code = _serving("[page, query]", TEXTS)
    assert _answer(project, code) == ["<p>é</p>", "select 1"]
    # The second time the bundle is remembered.
    assert _answer(project, code) == ["<p>é</p>", "select 1"]


def test_an_empty_text_is_a_string(project: Path) -> None:
    assert _answer(project, _serving("[text]", "import text from './empty.txt';")) == [""]


def test_data_is_an_array_buffer(project: Path) -> None:
    head = "import data from './data.bin';"
    code = _serving("[data instanceof ArrayBuffer, ...new Uint8Array(data)]", head)
    assert _answer(project, code) == [True, 0, 255]


@pytest.mark.parametrize("query", ["", "?module"])
def test_wasm_is_a_module(project: Path, query: str) -> None:
    head = f"import sum from './sum.wasm{query}';\nconst made = new WebAssembly.Instance(sum);"
    code = _serving("[sum instanceof WebAssembly.Module, (made.exports as any).answer()]", head)
    assert _answer(project, code) == [True, 42]


def test_wasm_can_be_instantiated_later(project: Path) -> None:
    code = _serving(
        "((await WebAssembly.instantiate(sum)) as any).exports.answer()",
        "import sum from './sum.wasm';",
    )
    assert _answer(project, code) == 42


def test_import_calls_give_the_same(project: Path) -> None:
    assert _answer(project, _serving("(await import('./page.html')).default")) == "<p>é</p>"


def test_a_module_package_gets_the_value_too(project: Path) -> None:
    (project / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    assert _answer(project, _serving("page", "import page from './page.html';")) == "<p>é</p>"


def test_an_isolate_has_data_of_its_own(project: Path) -> None:
    _write(
        project,
        _serving(
            "new Uint8Array(data)[0] += 1",
            "import data from './data.bin';",
        ),
    )
    with open_host(load_scenario("shop.sim.ts")) as host:
        bodies = [outcome(host.evaluate(request_entry(), []))[1]["body"] for _ in range(2)]
    assert bodies == ["1", "1"]


def test_rules_add_extensions(project: Path) -> None:
    rules = [{"type": "Text", "globs": ["**/*.md"], "fallthrough": True}]
    code = _serving("[notes, page, query]", "import notes from './notes.md';" + TEXTS)
    assert _answer(project, code, rules=rules) == ["# notes", "<p>é</p>", "select 1"]


def test_a_rule_can_turn_text_into_data(project: Path) -> None:
    rules = [{"type": "Data", "globs": ["**/*.md"]}]
    code = _serving("notes.byteLength", "import notes from './notes.md';")
    assert _answer(project, code, rules=rules) == 7


@pytest.mark.parametrize(
    ("head", "rules", "says"),
    [
        ("import notes from './notes.md';", [], 'No loader is configured for ".md" files'),
        (
            TEXTS,
            [{"type": "Text", "globs": ["**/*.md"]}],
            'the import of "./page.html" matches only a rule that an earlier one',
        ),
        (
            "import notes from './notes.md';",
            [{"type": "Text", "globs": ["**/docs/*.md"]}],
            'the import of "./notes.md" matches no rule',
        ),
    ],
)
def test_imports_that_no_rule_allows(
    project: Path, head: str, rules: list[dict[str, Any]], says: str
) -> None:
    error = _refused(project, _serving("1", head + USED), rules=rules)
    assert says in error.found
    assert error.place.startswith("src/index.ts")
    assert error.remedy


def test_definitions_and_aliases(project: Path) -> None:
    write(project, {"src/real.ts": "export const name = 'real';"})
    code = _serving("[name, VERSION]", "import { name } from 'stand-in'; declare const VERSION: 1;")
    config: dict[str, Any] = {"alias": {"stand-in": "./src/real.ts"}, "define": {"VERSION": "7"}}
    assert _answer(project, code, **config) == ["real", 7]


def test_an_alias_is_not_about_what_is_inside_a_package(project: Path) -> None:
    write(project, {"src/real/part.ts": "export const name = 'part';"})
    code = _serving("name", "import { name } from 'stand-in/part';")
    error = _refused(project, code, alias={"stand-in": "./src/real"})
    assert 'imports "stand-in/part"' in error.found


def test_names_are_kept_unless_the_config_says_otherwise(project: Path) -> None:
    code = _serving("Rather.name", "class Rather {}")
    assert _answer(project, code, minify=True) == "Rather"
    assert _answer(project, code, minify=True, keep_names=False) != "Rather"


def test_an_environment_has_variables_secrets_and_an_entry_of_its_own(project: Path) -> None:
    write(project, {"src/staging.ts": _serving("[env.MODE, env.KEY, env.TOP ?? null]")})
    write(project, {".dev.vars": "KEY=top", ".dev.vars.staging": "KEY=staging"})
    config: dict[str, Any] = {
        "vars": {"MODE": "top", "TOP": 1},
        "env": {"staging": {"main": "src/staging.ts", "vars": {"MODE": "staging"}}},
    }
    top = _serving("[env.MODE, env.KEY, env.TOP]")
    assert _answer(project, top, **config) == ["top", "top", 1]
    assert _answer(project, top, environment="staging", **config) == ["staging", "staging", None]


def test_a_required_secret_without_a_value_is_refused_when_it_is_used(project: Path) -> None:
    from eutaxy.errors import UnmodelledError  # noqa: PLC0415

    with pytest.raises(UnmodelledError, match="required secret") as caught:
        _answer(project, _serving("env.KEY.length"), secrets={"required": ["KEY"]})
    assert "KEY" in caught.value.found


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"main": None}, "wrangler.jsonc has no `main`"),
        ({"main": "src/gone.ts"}, "there is no such file"),
        ({"build": {"command": "npm run build"}}, "has a build command (npm run build)"),
    ],
)
def test_main_must_be_an_entry(project: Path, config: dict[str, Any], says: str) -> None:
    assert says in _refused(project, _serving("1"), **config).found


def test_a_request_that_a_static_asset_answers_is_refused(project: Path) -> None:
    write(project, {"public/index.html": "<p>"})
    assets = {"directory": "./public"}
    error = _refused(project, _serving("1"), assets=assets)
    assert "the static asset index.html answers the request req-1" in error.found
    assert error.place.startswith("shop.sim.ts:5")
    assert _answer(project, _serving("1"), assets={**assets, "run_worker_first": True}) == 1
