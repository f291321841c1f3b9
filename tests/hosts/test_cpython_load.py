"""Loading a Python Worker: what it offers, where imports come from, what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from eutaxy._hosts.cpython import sdk_folder
from eutaxy._hosts.py.flags import effective_flags
from eutaxy.errors import ScenarioError
from tests.hosts.cpython_world import CHILD_PYTHON, RunWorker, answering, worker, workers
from tests.hosts.node_world import outcome

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


EVERYTHING = """
from workers import DurableObject
from other import Imported

class Base(WorkflowEntrypoint):
    async def run(self, event, step): return "base"
class Job(Base): pass
class Room(DurableObject): pass
class Api(WorkerEntrypoint): pass
class _Hidden(WorkflowEntrypoint): pass
class Plain: pass
class Default(WorkerEntrypoint):
    async def fetch(self, request): pass
    async def scheduled(self, controller, env, ctx): pass
    def helper(self): pass
"""
OTHER = "from workers import WorkflowEntrypoint\nclass Imported(WorkflowEntrypoint): pass\n"


def test_load_says_what_the_module_offers(run_worker: RunWorker) -> None:
    world = run_worker(worker(EVERYTHING), files={"other.py": OTHER})
    assert world.host.load() == {
        "handlers": ["fetch", "scheduled"],
        "classes": [
            {"name": "Imported", "kind": "workflow"},
            {"name": "Base", "kind": "workflow"},
            {"name": "Job", "kind": "workflow"},
            {"name": "Room", "kind": "object"},
            {"name": "Api", "kind": "entrypoint"},
        ],
    }
    assert outcome(world.job()) == ("returned", "base")


def test_all_limits_what_the_module_offers(run_worker: RunWorker) -> None:
    code = worker(EVERYTHING + "\n__all__ = ['Default', 'Job']\n")
    loaded = run_worker(code, files={"other.py": OTHER}).host.load()
    assert loaded["classes"] == [{"name": "Job", "kind": "workflow"}]


ERRORS = [
    ("x = (", {}, "SyntaxError", "worker.py:2"),
    ("import helper", {"helper.py": "\ndef f(:\n"}, "SyntaxError", "helper.py:2"),
    ("import nothing_like_it", {}, "ModuleNotFoundError", "worker.py:2"),
    ("from workers import nothing", {}, "ImportError", "worker.py:2"),
    ("from js import nothing", {}, "ImportError", "worker.py:2"),
    ("import helper", {"helper.py": "def f(): 1 / 0\nf()\n"}, "ZeroDivisionError", "helper.py:1"),
    ("raise ValueError('at load')", {}, "ValueError", "worker.py:2"),
    ("import sys\nsys.exit(1)", {}, "SystemExit", "worker.py:3"),
]


@pytest.mark.parametrize(("code", "files", "name", "place"), ERRORS)
def test_an_error_while_loading_has_a_place(
    run_worker: RunWorker, code: str, files: dict[str, str], name: str, place: str
) -> None:
    world = run_worker(worker(code), files=files, loads=False)
    with pytest.raises(ScenarioError) as caught:
        world.host.load()
    assert caught.value.found.startswith(f"{name}: ")
    assert caught.value.place == place
    assert caught.value.remedy


def test_a_main_module_that_is_missing_is_named(run_worker: RunWorker) -> None:
    world = run_worker(worker(""), loads=False)
    world.host._load_question["code"] += "x.py"
    with pytest.raises(ScenarioError, match=r"worker\.pyx"):
        world.host.load()


LEGACY = """
from workers import handler

@handler
async def on_fetch(request, env, ctx):
    return Response(f"{request.method} {env.NAME}")
"""
NAME = {"NAME": {"type": "value", "value": '"n"'}}


def test_global_handlers_work_where_the_date_allows_them(run_worker: RunWorker) -> None:
    world = run_worker(worker(LEGACY), date="2025-08-13", env=NAME)
    assert world.host.load()["handlers"] == ["fetch"]
    assert outcome(world.request())[1]["body"] == "GET n"


def test_global_handlers_are_refused_from_the_date_on(run_worker: RunWorker) -> None:
    world = run_worker(worker(LEGACY), date="2025-08-14", loads=False)
    with pytest.raises(ScenarioError, match="class Default") as caught:
        world.host.load()
    assert "on_fetch" in caught.value.found
    flags = ["disable_python_no_global_handlers"]
    assert run_worker(worker(LEGACY), flags=flags).host.load()["handlers"] == ["fetch"]


def test_default_and_global_handlers_exclude_each_other(run_worker: RunWorker) -> None:
    code = worker(LEGACY + "\nclass Default(WorkerEntrypoint): pass\n")
    with pytest.raises(ScenarioError, match="keep one"):
        run_worker(code, date="2025-08-13", loads=False).host.load()


def test_workflows_need_their_flag_before_its_date(run_worker: RunWorker) -> None:
    code = worker("class Job(WorkflowEntrypoint): pass")
    with pytest.raises(ScenarioError, match="python_workflows"):
        run_worker(code, date="2025-09-19", loads=False).host.load()
    loaded = run_worker(code, date="2025-09-19", flags=["python_workflows"]).host.load()
    assert loaded["classes"] == [{"name": "Job", "kind": "workflow"}]


def test_flags_come_with_dates_and_can_be_switched_off() -> None:
    implicit = "python_workflows_implicit_dependencies"
    assert implicit not in effective_flags([], "2026-02-24")
    assert implicit in effective_flags([], "2026-02-25")
    assert implicit in effective_flags([implicit], "2025-01-01")
    assert implicit not in effective_flags([f"no_{implicit}"], "2026-10-01")


IMPORTS = {
    "src/helper.py": "name = 'helper'",
    "src/package/__init__.py": "from package import inner\nfrom . import inner as again",
    "src/package/inner.py": "name = 'inner'",
    "src/folder/deep.py": "name = 'deep'",
    "src/json.py": "name = 'own json'",
    "python_modules/vendored.py": "name = 'vendored'",
    "node_modules/pack/index.py": "name = 'not python'",
}


def test_imports_start_in_the_folder_of_the_main_module(run_worker: RunWorker) -> None:
    before = """
import helper, package, folder.deep, vendored, importlib
def missing(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return True
"""
    expression = (
        "[helper.name, package.again.name, folder.deep.name, vendored.name,"
        " missing('src.helper'), missing('node_modules.pack'), missing('click.nothing')]"
    )
    code = answering(expression, before=before)
    world = run_worker(code, main="src/worker.py", files=IMPORTS)
    assert world.body() == ["helper", "inner", "deep", "vendored", True, True, True]


def test_a_vendored_sdk_wins(run_worker: RunWorker) -> None:
    sdk = """
class WorkerEntrypoint:
    def __init__(self, ctx, env): self.env = env
class WorkflowEntrypoint: pass
class Response:
    def __init__(self, text):
        import js
        self.js_object = js.Response.new("vendored " + text)
def fetch(): pass
def python_from_rpc(value): return value
"""
    code = worker("""
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                return Response(request.method)
    """)
    world = run_worker(code, files={"python_modules/workers.py": sdk})
    assert outcome(world.request())[1]["body"] == "vendored GET"


def test_places_are_relative_to_the_project(run_worker: RunWorker) -> None:
    code = answering("await fetch('https://a.example/')")
    world = run_worker(code, main="src/entry.py")
    (reaction,) = world.request()["reactions"]
    assert reaction["effects"][0]["place"] == "src/entry.py:5"


def test_the_sdk_is_the_published_one(run_worker: RunWorker) -> None:
    file = run_worker(answering("workers.__file__", before="import workers")).body()
    assert Path(file).parent.name == "workers"
    assert metadata.version("workers-runtime-sdk").startswith("1.")
    if sys.executable == CHILD_PYTHON:
        assert file == str(Path(sdk_folder()) / "workers" / "__init__.py")
