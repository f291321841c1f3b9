"""Bundling with the real esbuild: what comes out, what is remembered, and what is said of bad code."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from eutaxy._hosts.bundle import Bundle, bundle, scenario_options, worker_options
from eutaxy._hosts.source_map import SourceMap
from eutaxy._hosts.toolchain import Esbuild
from eutaxy.errors import ScenarioError
from tests.hosts.toolbox import esbuild, own_cache, write

pytestmark = pytest.mark.host

WORKER = """\
import { WorkflowEntrypoint } from "cloudflare:workers";
import { price } from "./price";

export class Shop extends WorkflowEntrypoint<object> {
  override async run(): Promise<number> {
    return price("böx");
  }
}
"""
PRICE = """\
interface Priced { readonly name: string }

export function price(name: string): number {
  const priced: Priced = { name };
  throw new Error(`no price for ${priced.name}`);
}
"""


class Shop:
    """A project with a Worker of two files, and its bundler."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.cache = own_cache(folder)
        self.add({"src/worker.ts": WORKER, "src/price.ts": PRICE})

    def add(self, files: dict[str, str]) -> None:
        """Write files that are older than any bundling, as those of a user are."""
        write(self.folder, files)
        before = time.time() - 60
        for name in files:
            os.utime(self.folder / name, (before, before))

    def bundle(
        self, options: tuple[str, ...] | None = None, *, tool: Esbuild | None = None
    ) -> Bundle:
        """Bundle the Worker."""
        return bundle(
            self.folder / "src" / "worker.ts",
            worker_options() if options is None else options,
            esbuild=tool or esbuild(),
            cache=self.cache,
            doing="bundling the Worker app/src/worker.ts",
            shown_folder="app/src",
        )

    def is_remembered(self) -> bool:
        """Whether the next bundling needs no esbuild."""
        gone = Esbuild(path="/nowhere/esbuild", version=esbuild().version)
        try:
            self.bundle(tool=gone)
        except ScenarioError:
            return False
        return True


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_a_worker_becomes_one_script_that_asks_for_the_platform(shop: Shop) -> None:
    made = shop.bundle()
    code = Path(made.code).read_text(encoding="utf-8")
    assert 'require("cloudflare:workers")' in code
    assert "no price for" in code
    assert "module.exports" in code
    assert sorted(made.inputs) == [
        str(shop.folder / "src" / "price.ts"),
        str(shop.folder / "src" / "worker.ts"),
    ]


def test_nothing_is_written_into_the_project(shop: Shop) -> None:
    before = sorted(shop.folder.rglob("*"))
    shop.bundle()
    assert sorted(shop.folder.rglob("*")) == before


def test_positions_map_back_to_the_source(shop: Shop) -> None:
    made = shop.bundle()
    lines = Path(made.code).read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "throw new Error" in text)
    found = SourceMap(made.map).locate(line, lines[line - 1].index("new Error") + 1)
    assert found is not None
    assert (found.source, found.line) == (str(shop.folder / "src" / "price.ts"), 5)
    assert PRICE.splitlines()[4][found.column - 1 :].startswith("new Error")


def test_code_of_the_bundler_maps_to_nothing(shop: Shop) -> None:
    source_map = SourceMap(shop.bundle().map)
    assert source_map.locate(1, 1) is None
    assert source_map.locate(0, 1) is None
    assert source_map.locate(1_000_000, 1) is None


def test_the_same_code_gives_the_same_bytes_in_another_folder(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "another/folder"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        texts.append(Path(Shop(folder).bundle().code).read_bytes())
    assert texts[0] == texts[1]


def test_a_second_bundling_needs_no_esbuild(shop: Shop) -> None:
    first = shop.bundle()
    assert shop.is_remembered()
    second = shop.bundle()
    assert (second.code, second.digest) == (first.code, first.digest)
    assert sorted(second.inputs) == sorted(first.inputs)


@pytest.mark.parametrize(
    "files",
    [
        {"src/worker.ts": WORKER + "// changed\n"},
        {"src/price.ts": PRICE + "// changed\n"},
        {"src/price.tsx": "export const price = () => 1;"},
        {"src/price/index.ts": "export const price = () => 1;"},
        {"package.json": '{"sideEffects": false}'},
        {"tsconfig.json": '{"compilerOptions": {"useDefineForClassFields": false}}'},
        {"src/package.json": '{"type": "module"}'},
        {"node_modules/anything/index.js": ""},
        {"node_modules/@scope/anything/index.js": ""},
    ],
    ids=lambda files: next(iter(files)),
)
def test_what_could_change_a_bundle_makes_a_new_one(shop: Shop, files: dict[str, str]) -> None:
    shop.bundle()
    assert shop.is_remembered()
    shop.add(files)
    assert not shop.is_remembered()
    shop.bundle()
    assert shop.is_remembered()


def test_a_package_that_is_linked_elsewhere_makes_a_new_one(shop: Shop) -> None:
    shop.add(
        {
            "src/worker.ts": 'import { n } from "dep"; console.log(n); export default {};',
            "store/1/index.js": "export const n = 1;",
            "store/2/index.js": "export const n = 2;",
            "node_modules/.keep": "",
        }
    )
    link = shop.folder / "node_modules" / "dep"
    link.symlink_to(shop.folder / "store" / "1")
    assert "n = 1" in Path(shop.bundle().code).read_text(encoding="utf-8")
    assert shop.is_remembered()
    link.unlink()
    link.symlink_to(shop.folder / "store" / "2")
    assert "n = 2" in Path(shop.bundle().code).read_text(encoding="utf-8")


def test_a_file_that_changes_while_bundling_is_not_trusted(shop: Shop) -> None:
    later = time.time() + 60
    os.utime(shop.folder / "src" / "price.ts", (later, later))
    shop.bundle()
    assert not shop.is_remembered()


def test_a_tsconfig_that_extends_another_is_not_remembered(shop: Shop) -> None:
    shop.add({"base.json": "{}", "tsconfig.json": '{"extends": "./base.json"}'})
    shop.bundle()
    assert not shop.is_remembered()


def test_a_manifest_that_is_damaged_is_not_used(shop: Shop) -> None:
    home = Path(shop.bundle().code).parent.parent
    (home / "manifest.json").write_text("{", encoding="utf-8")
    assert not shop.is_remembered()
    shop.bundle()
    assert shop.is_remembered()


def test_old_bundles_go_and_young_ones_stay(shop: Shop) -> None:
    folders = []
    for number in range(3):
        shop.add({"src/price.ts": f"export const price = () => {number};"})
        folders.append(Path(shop.bundle().code).parent)
    long_ago = time.time() - 48 * 3600
    os.utime(folders[0], (long_ago, long_ago))
    shop.add({"src/price.ts": PRICE})
    shop.bundle()
    assert [folder.is_dir() for folder in folders] == [False, True, True]


@pytest.mark.parametrize(
    ("worker", "place", "says", "advises"),
    [
        ("const a = 1;\nconst é = ;\n", "app/src/worker.ts:2:11", 'Unexpected ";"', "correct"),
        ('import "./nope";', "app/src/worker.ts:1:8", 'Could not resolve "./nope"', "dependencies"),
        ('import "zod";\nimport "hono";', "app/src/worker.ts:1:8", "(and 1 more)", "dependencies"),
        ("export {};\nawait 1;", "app/src/worker.ts:2:1", "Top-level await", "not modelled"),
        ('import "./x.wasm";', "app/src/worker.ts:1:8", "No loader is configured", "`rules`"),
        (
            "console.log(import.meta.url);",
            "app/src/worker.ts:1:13",
            '"import.meta"',
            "not modelled",
        ),
        ('import { q } from "./price";\nq();', "app/src/worker.ts:1:10", '"q"', "correct"),
    ],
)
def test_code_that_cannot_be_bundled(
    shop: Shop, worker: str, place: str, says: str, advises: str
) -> None:
    shop.add({"src/worker.ts": worker, "src/x.wasm": ""})
    with pytest.raises(ScenarioError) as caught:
        shop.bundle()
    assert caught.value.place == place
    assert says in caught.value.found
    assert advises in caught.value.remedy
    assert caught.value.doing == "bundling the Worker app/src/worker.ts"


def test_a_mistake_in_another_file_is_found_there(shop: Shop) -> None:
    shop.add({"src/price.ts": "export const price = (;"})
    with pytest.raises(ScenarioError) as caught:
        shop.bundle()
    assert caught.value.place == "app/src/price.ts:1:23"


def test_a_bundler_that_cannot_run(shop: Shop) -> None:
    with pytest.raises(ScenarioError, match="the bundler /nowhere/esbuild cannot be used"):
        shop.bundle(tool=Esbuild(path="/nowhere/esbuild", version=(0, 25, 0)))


def test_modules_of_node_need_the_flag(shop: Shop) -> None:
    shop.add({"src/worker.ts": 'import { join } from "path";\nexport default { join };'})
    with pytest.raises(ScenarioError, match="Could not resolve"):
        shop.bundle()
    code = Path(shop.bundle(worker_options(has_node_compat=True)).code).read_text(encoding="utf-8")
    assert 'require("node:path")' in code


def test_settings_of_wrangler_are_kept(shop: Shop) -> None:
    shop.add(
        {
            "src/worker.ts": 'import t from "./t.txt"; import x from "x"; console.log(t, x, MARK);',
            "src/t.txt": "some text",
            "src/x.ts": 'export default "instead of x";',
            "build.json": '{"compilerOptions": {"target": "es5"}}',
        }
    )
    options = worker_options(
        define={"MARK": '"marked"'},
        alias={"x": str(shop.folder / "src" / "x.ts")},
        tsconfig=str(shop.folder / "build.json"),
    )
    made = shop.bundle(options)
    code = Path(made.code).read_text(encoding="utf-8")
    assert "some text" in code
    assert "instead of x" in code
    assert "marked" in code
    shop.add({"build.json": "{}"})
    assert shop.bundle(options).code != made.code


def test_jsx_is_read_and_the_code_knows_that_it_is_deployed(shop: Shop) -> None:
    shop.add(
        {
            "src/worker.ts": 'import page from "./page.js";\nconsole.log(page, process.env.NODE_ENV);',
            "src/page.js": "const h = (name) => name;\nexport default <p/>;",
        }
    )
    made = shop.bundle(worker_options(jsx_factory="h"))
    code = Path(made.code).read_text(encoding="utf-8")
    assert 'h("p", null)' in code
    assert '"production"' in code


def test_a_scenario_holds_what_eutaxy_provides(shop: Shop) -> None:
    shop.add(
        {
            "src/worker.ts": 'import { n } from "eutaxy/cloudflare";\nexport default await n;',
            "n.mjs": "export const n = 41 + 1;",
        }
    )
    made = shop.bundle(scenario_options({"eutaxy/cloudflare": str(shop.folder / "n.mjs")}))
    code = Path(made.code).read_text(encoding="utf-8")
    assert made.code.endswith(".mjs")
    assert "41 + 1" in code
    assert "import" not in code.replace("important", "")
