"""The event loop and waiting in synchronous code, as Pyodide has them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eutaxy.errors import ScenarioError, UnmodelledError
from tests.hosts.cpython_world import RunWorker, answering, worker, workers, workflow
from tests.hosts.node_world import effects, invoked, outcome, returned, threw

pytestmark = pytest.mark.host

FINE = {"status": 200, "headers": {}, "body": "b"}


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


GROUP = """
import asyncio
async def call(path):
    return (await fetch(f"https://a.example/{path}")).status
async def grouped():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(call(n)) for n in range(3)]
    return [task.result() for task in tasks]
async def raced():
    tasks = [asyncio.create_task(call(n)) for n in range(2)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    return [len(done), len(pending)]
async def limited():
    try:
        async with asyncio.timeout(1):
            await call("slow")
    except TimeoutError:
        return "timed out"
async def threaded():
    return await asyncio.to_thread(lambda: "at once")
"""


def test_tasks_can_be_grouped(run_worker: RunWorker) -> None:
    world = run_worker(answering("await grouped()", before=GROUP))
    assert len(effects(world.request())) == 3
    assert world.body(*(returned(0, n, FINE) for n in (2, 3, 1))) == [200, 200, 200]


def test_a_race_leaves_the_loser_behind(run_worker: RunWorker) -> None:
    world = run_worker(answering("await raced()", before=GROUP))
    assert world.body(returned(0, 2, FINE)) == [1, 1]
    late = world.request(returned(0, 2, FINE), returned(0, 1, FINE))
    assert late["reactions"] == []


def test_a_timeout_is_a_timer(run_worker: RunWorker) -> None:
    world = run_worker(answering("await limited()", before=GROUP))
    kinds = [effect["kind"] for effect in effects(world.request())]
    assert kinds == ["timer", "call"]
    assert world.body(returned(0, 1, None)) == "timed out"


def test_threads_of_asyncio_run_at_once(run_worker: RunWorker) -> None:
    assert run_worker(answering("await threaded()", before=GROUP)).body() == "at once"


def test_threads_of_anyio_run_at_once(run_worker: RunWorker) -> None:
    files = {
        "python_modules/anyio/__init__.py": "",
        "python_modules/anyio/to_thread.py": "async def run_sync(f, *args): raise OSError",
    }
    before = "import anyio.to_thread"
    world = run_worker(
        answering("await anyio.to_thread.run_sync(max, 1, 2)", before=before), files=files
    )
    assert world.body() == 2
    assert world.body() == 2


def test_an_exception_that_nobody_awaits_is_printed(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio
        async def lost(): raise ValueError("lost")
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                asyncio.create_task(lost())
                asyncio.get_running_loop().call_soon(lambda: 1 / 0)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                return Response("ok")
    """)
    prints = run_worker(code).request()["prints"]
    assert any("ZeroDivisionError" in line for line in prints)


def test_code_in_a_context_of_its_own_belongs_to_the_fiber_of_the_move(
    run_worker: RunWorker,
) -> None:
    body = """
    import contextvars
    @step.do("s")
    async def s():
        promise = contextvars.Context().run(lambda: fetch("https://a.example/"))
        return (await promise).status
    await s()
    """
    import_js = "import js\n"
    code = workflow(body.replace("lambda: fetch", "lambda: js.fetch"), before=import_js)
    (effect,) = effects(run_worker(code).job(invoked(0, 1)), 1)
    assert effect["args"]["url"] == "https://a.example/"


SYNC = """
from pyodide.ffi import run_sync
def status(path):
    return run_sync(fetch(f"https://a.example/{path}")).status
"""


def test_synchronous_code_can_wait(run_worker: RunWorker) -> None:
    world = run_worker(answering("[status('a'), status('b')]", before=SYNC))
    (first,) = effects(world.request())
    assert (first["args"]["url"], first["place"]) == ("https://a.example/a", "worker.py:5")
    (second,) = effects(world.request(returned(0, 1, FINE)))
    assert (second["ordinal"], second["args"]["url"]) == (2, "https://a.example/b")
    assert world.body(returned(0, 1, FINE), returned(0, 2, {**FINE, "status": 201})) == [200, 201]


def test_a_failure_reaches_synchronous_code(run_worker: RunWorker) -> None:
    code = worker(
        SYNC + "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        "        try:\n"
        "            status('a')\n"
        "        except OSError as error:\n"
        "            return Response(str(error))\n"
        "        finally:\n"
        "            print('finally')\n"
    )
    world = run_worker(code)
    answer = world.request(threw(0, 1, "lost"))
    assert outcome(answer)[1]["body"] == "lost"
    assert answer["prints"] == ["finally"]
    # The first evaluation ends while the code waits; what unwinds then is not heard.
    assert world.request()["prints"] == []


def test_others_run_while_synchronous_code_waits(run_worker: RunWorker) -> None:
    before = (
        SYNC
        + """
import asyncio
async def other():
    await fetch("https://a.example/other")
    print("other went on")
"""
    )
    code = worker(
        before + "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        "        task = asyncio.create_task(other())\n"
        "        await asyncio.sleep(0)\n"
        "        return Response(str(status('mine')))\n"
    )
    world = run_worker(code)
    names = [effect["args"]["url"][18:] for effect in effects(world.request())]
    assert names == ["other", "mine"]
    assert world.request(returned(0, 1, FINE))["prints"] == ["other went on"]
    assert outcome(world.request(returned(0, 1, FINE), returned(0, 2, FINE)))[1]["body"] == "200"
    assert outcome(world.request(returned(0, 2, FINE)))[1]["body"] == "200"


def test_waits_in_synchronous_code_that_overlap_are_reported(run_worker: RunWorker) -> None:
    before = (
        SYNC
        + """
import asyncio
async def sync(path):
    return status(path)
"""
    )
    world = run_worker(answering("await asyncio.gather(sync('a'), sync('b'))", before=before))
    assert world.body(returned(0, 2, FINE), returned(0, 1, FINE)) == [200, 200]
    with pytest.raises(UnmodelledError, match="run_sync calls that overlap"):
        world.request(returned(0, 1, FINE))


def test_module_code_cannot_wait_or_ask(run_worker: RunWorker) -> None:
    before = "import workers\nworkers.import_from_javascript('node:fs')"
    with pytest.raises(ScenarioError, match="global scope"):
        run_worker(answering("1", before=before), loads=False).host.load()
    for call in ("js.fetch('https://a.example')", "js.setTimeout(print, 1)"):
        world = run_worker(answering("1", before=f"import js\n{call}"), loads=False)
        with pytest.raises(ScenarioError, match="within global scope") as caught:
            world.host.load()
        assert caught.value.place == "worker.py:3"


def test_streamed_bodies_are_reported(run_worker: RunWorker) -> None:
    code = worker("""
        from workers import wsgi

        def app(environ, start_response):
            start_response("200 OK", [])
            return [b"x"]

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                return await wsgi.fetch(app, request, self.env)
    """)
    with pytest.raises(UnmodelledError, match=r"js\.ReadableStream\.new"):
        run_worker(code).request()
