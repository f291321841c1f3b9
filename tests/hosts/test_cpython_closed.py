"""What a Python Worker cannot do: each attempt is reported by name, with the user's line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eutaxy._hosts.process import HostDied, HostHung
from eutaxy.errors import HostError, UnmodelledError
from tests.hosts.cpython_world import RunWorker, answering, worker, workers, workflow
from tests.hosts.node_world import invoked

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


def trying(statement: str, *, swallows: str = "Exception") -> str:
    """A main module whose `fetch` tries something on line 5 and swallows what it raises."""
    return worker(
        "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        "        try:\n"
        f"            {statement}\n"
        f"        except {swallows}:\n"
        "            pass\n"
        "        return Response('went on')\n"
    )


CLOSED = [
    ("import socket; socket.create_connection(('127.0.0.1', 9))", "looking up a host name"),
    ("import socket; socket.socket()", "a socket"),
    ("import urllib.request as r; r.urlopen('http://127.0.0.1:9/')", "looking up a host name"),
    ("import http.client as h; h.HTTPConnection('127.0.0.1').request('GET', '/')", "looking up"),
    ("import subprocess; subprocess.run(['true'])", "a child process"),
    ("import os; os.system('true')", "os.system"),
    ("import os; os.fork()", "os.fork"),
    ("import os; os.execv('/bin/true', ['true'])", "os.exec"),
    ("import os; os.posix_spawn('/bin/true', ['true'], {})", "os.posix_spawn"),
    ("import os; os.kill(1, 0)", "os.kill"),
    ("import threading; threading.Thread(target=print).start()", "a thread"),
    ("import concurrent.futures as c; c.ThreadPoolExecutor().submit(print)", "a thread"),
    ("open('/etc/hostname').read()", "reading the file /etc/hostname"),
    ("import os; os.open('/etc/hostname', os.O_RDONLY)", "reading the file /etc/hostname"),
    ("open('../outside.txt').read()", "reading the file ../outside.txt"),
    ("open('inside.txt', 'w')", "writing the file inside.txt"),
    ("from pathlib import Path; Path('inside.txt').write_text('x')", "writing the file"),
    ("import os; os.remove('worker.py')", "changing files"),
    ("import os; os.mkdir('folder')", "changing files"),
    ("import os; os.rename('worker.py', 'other.py')", "changing files"),
    ("import os; os.listdir('/')", "listing the folder /"),
    ("import tempfile; tempfile.mkdtemp()", "writing the file"),
    ("import tempfile; tempfile.TemporaryFile()", "writing the file"),
    ("import sqlite3; sqlite3.connect(':memory:')", "a SQLite database"),
    ("import ctypes; ctypes.CDLL('libc.so.6')", "the native library libc.so.6"),
    ("import ctypes; ctypes.pythonapi.Py_Exit(3)", "ctypes"),
    ("import ctypes; ctypes.string_at(1)", "reading memory"),
    ("import os; os.mkfifo('pipe')", "os.mkfifo"),
    ("import os; os.mknod('node')", "os.mknod"),
    ("import os; os.write(3, b'x')", "os.write"),
    ("import os; os.pipe()", "os.pipe"),
    ("import os; os.closerange(0, 99)", "os.closerange"),
    ("import os; os.memfd_create('m')", "os.memfd_create"),
    ("import os; os.waitpid(-1, 0)", "os.waitpid"),
    ("import os; os.getloadavg()", "os.getloadavg"),
    ("import signal; signal.alarm(1)", "signal.alarm"),
    ("import signal; signal.setitimer(signal.ITIMER_REAL, 1)", "signal.setitimer"),
    ("import os; os.stat('/etc/passwd')", "looking at the file /etc/passwd"),
    ("import os; os.path.exists('/etc/passwd')", "looking at the file /etc/passwd"),
    ("from pathlib import Path; Path('/etc/passwd').is_file()", "looking at the file /etc/passwd"),
    ("from pathlib import Path; Path('/proc/self').resolve()", "looking at the file /proc"),
    ("import os; os.access('/etc/passwd', os.R_OK)", "looking at the file /etc/passwd"),
    ("import os; os.readlink('/proc/self')", "looking at the file /proc/self"),
    ("import shutil; shutil.which('ls')", "looking at the file"),
    ("import mmap; mmap.mmap(-1, 10)", "a memory-mapped file"),
    ("import time; time.sleep(1)", "time.sleep"),
    ("input()", "input()"),
    ("import asyncio; await asyncio.open_connection('a.example', 80)", "create_connection"),
    ("import asyncio; await asyncio.create_subprocess_shell('true')", "subprocess_shell"),
    ("import js; js.WebSocket.new('wss://a.example')", "js.WebSocket"),
    ("import js; js.HTMLRewriter", "js.HTMLRewriter"),
    ("import js; js.caches.default", "js.caches"),
    ("import js; js.crypto.subtle", "js.crypto.subtle"),
    ("request.cf", "request.cf"),
    ("self.ctx.passThroughOnException()", "ctx.passThroughOnException"),
    ("self.env.CACHE.get('k')", "KV namespace CACHE"),
    ("await self.env.CACHE.get('k')", "KV namespace CACHE"),
    ("self.env.CACHE", None),
    ("import ctypes", None),
    ("from pyodide.code import run_js; run_js('1')", "pyodide.code.run_js"),
    ("import js; await js.fetch('https://a.example', {'method': 'PUT'})", "a Python dict"),
    ("import js; js.JSON.nothing", "js.JSON.nothing"),
]


def test_the_remedy_for_cf_is_a_header(run_worker: RunWorker) -> None:
    world = run_worker(trying("request.cf", swallows="Exception"))
    with pytest.raises(UnmodelledError) as caught:
        world.request()
    assert "a header, such as cf-ipcountry" in caught.value.remedy


@pytest.mark.parametrize(("statement", "what"), CLOSED)
def test_what_is_not_modelled_is_reported_and_cannot_be_swallowed(
    run_worker: RunWorker, statement: str, what: str | None
) -> None:
    env = {"CACHE": {"type": "unmodelled", "what": "kv_namespaces"}}
    code = trying(statement, swallows="BaseException" if what else "Exception")
    if statement == "import js; js.HTMLRewriter":
        code = code.replace("js.HTMLRewriter", "js.HTMLRewriter.new()")
    world = run_worker(code, env=env)
    if what is None:
        assert "returned" in world.request()["reactions"][0]
        return
    with pytest.raises(UnmodelledError) as caught:
        world.request()
    error = caught.value
    assert what in error.found
    assert error.found.endswith("which eutaxy does not model")
    assert error.place == "worker.py:5"
    assert error.remedy


def test_nothing_of_the_machine_changed(tmp_path: Path) -> None:
    with workers(tmp_path) as start:
        world = start(trying("open('made.txt', 'w').write('x')"))
        with pytest.raises(UnmodelledError):
            world.request()
    assert sorted(path.name for path in (tmp_path / "0").iterdir()) == ["worker.py"]


def test_reports_come_from_steps_and_from_modules_too(run_worker: RunWorker) -> None:
    body = """
    import socket
    @step.do("s")
    async def s():
        socket.socket()
    await s()
    """
    world = run_worker(workflow(body))
    with pytest.raises(UnmodelledError) as caught:
        world.job(invoked(0, 1))
    assert caught.value.place == "worker.py:9"
    world = run_worker(answering("1", before="import socket\nsocket.socket()"), loads=False)
    with pytest.raises(UnmodelledError) as caught:
        world.host.load()
    assert caught.value.place == "worker.py:3"


def test_other_handlers_than_fetch_are_not_modelled(run_worker: RunWorker) -> None:
    world = run_worker(answering("1"))
    entry = {"kind": "request", "handler": "scheduled", "request": "{}", "now": 0, "salt": ""}
    with pytest.raises(UnmodelledError, match="the handler 'scheduled'"):
        world.host.evaluate(entry, [])


def test_files_beside_the_module_can_be_read(run_worker: RunWorker) -> None:
    before = """
import pkgutil
from importlib.resources import files
from pathlib import Path
beside = Path(__file__).parent / "data.txt"
"""
    expression = (
        "[beside.read_text(), open(beside).read(), pkgutil.get_data('pack', 'x.txt').decode(),"
        " files('pack').joinpath('x.txt').read_text(), sorted(p.name for p in beside.parent.iterdir())]"
    )
    extra = {"data.txt": "data", "pack/__init__.py": "", "pack/x.txt": "x"}
    world = run_worker(answering(expression, before=before), files=extra)
    assert world.body() == ["data", "data", "x", "x", ["data.txt", "pack", "worker.py"]]


ENDINGS = [
    ("import sys; sys.exit(3)", "sys.exit was called"),
    ("exit()", "sys.exit was called"),
    ("raise SystemExit", "sys.exit was called"),
    ("import os; os._exit(3)", "os._exit was called"),
    ("import os; os.abort()", "os.abort was called"),
]


@pytest.mark.parametrize(("statement", "what"), ENDINGS)
def test_ending_the_process_is_a_failure_with_a_place(
    run_worker: RunWorker, statement: str, what: str
) -> None:
    world = run_worker(trying(statement, swallows="ValueError"))
    with pytest.raises(HostError) as caught:
        world.request()
    assert caught.value.found == what
    assert caught.value.place == "worker.py:5"


def test_the_host_serves_again_after_a_report_or_a_failure(run_worker: RunWorker) -> None:
    code = worker("""
        import os, socket
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                if request.url.endswith("socket"):
                    socket.socket()
                if request.url.endswith("exit"):
                    os._exit(1)
                if request.url.endswith("crash"):
                    import faulthandler
                    faulthandler._sigsegv()
                return Response("fine")
    """)
    world = run_worker(code, deadline_s=5)
    for path, error in [
        ("socket", UnmodelledError),
        ("exit", HostError),
        ("crash", HostDied),
    ]:
        with pytest.raises(error):
            world.request(url=f"https://x.example/{path}")
        assert "returned" in world.request()["reactions"][0]


LOOPS = {
    "synchronous": "while True: pass",
    "asynchronous": "import asyncio\n            while True: await asyncio.sleep(0)",
    "deaf": "while True:\n                try: raise ValueError\n                except BaseException: pass",
}


@pytest.mark.parametrize("kind", LOOPS)
def test_an_endless_loop_ends_at_the_deadline(run_worker: RunWorker, kind: str) -> None:
    code = worker(
        "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        "        if request.url.endswith('loop'):\n"
        f"            {LOOPS[kind]}\n"
        "        return Response('fine')\n"
    )
    world = run_worker(code, deadline_s=1)
    with pytest.raises(HostHung, match="endless loop"):
        world.request(url="https://x.example/loop")
    assert "returned" in world.request()["reactions"][0]


def test_a_module_that_loops_is_a_hang_too(run_worker: RunWorker) -> None:
    world = run_worker(answering("1", before="while True: pass"), loads=False, deadline_s=1)
    with pytest.raises(HostHung) as caught:
        world.host.load()
    assert caught.value.doing == "executing the main module of the Worker"
    assert caught.value.place == "worker.py"


def test_deep_recursion_is_the_users_error(run_worker: RunWorker) -> None:
    world = run_worker(answering("f()", before="def f(): return f()"))
    (reaction,) = world.request()["reactions"]
    assert "RecursionError" in reaction["stack"]


def test_stray_output_does_not_break_the_protocol(run_worker: RunWorker) -> None:
    before = "import os, sys"
    expression = "[os.write(1, b'raw'), sys.__stdout__.write('text'), sys.stderr.write('more')][0]"
    assert run_worker(answering(expression, before=before)).body() == 3


def test_the_interpreter_of_another_environment_will_do(run_worker: RunWorker) -> None:
    # The base interpreter of a virtual environment knows neither eutaxy nor the SDK.
    base = str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
    world = run_worker(answering("1"), python=base)
    assert world.body() == 1


def test_an_interpreter_that_is_not_there_is_named(run_worker: RunWorker) -> None:
    world = run_worker(answering("1"), python="/nowhere/python3", loads=False)
    with pytest.raises(HostError, match="/nowhere/python3"):
        world.host.load()


def test_the_machine_shows_nowhere(run_worker: RunWorker) -> None:
    code = answering(
        "[os.getpid(), os.getppid(), os.cpu_count(), os.getuid(), os.uname().nodename, "
        "platform.node(), platform.system(), platform.machine()]",
        before="import os, platform",
    )
    constant = [42, 1, 1, 0, "emscripten", "emscripten", "Emscripten", "wasm32"]
    assert run_worker(code).body() == constant


def test_ids_of_network_cards_are_drawn(run_worker: RunWorker) -> None:
    world = run_worker(answering("str(uuid.uuid1())", before="import uuid"))
    assert world.request()["reads"] == ["clock", "random"]
    assert world.body(salt="a") == world.body(salt="a")
    assert world.body(salt="a") != world.body(salt="b")


def test_packages_that_look_around_find_nothing(run_worker: RunWorker) -> None:
    code = answering(
        "[mimetypes.guess_type('a.json')[0], looks.around()]", before="import looks, mimetypes"
    )
    looks = """
import os, shutil
from pathlib import Path
def around():
    found = [os.path.exists("/etc/passwd"), Path("/usr/bin").is_dir(), os.access("/", os.W_OK)]
    return [*found, shutil.which("ls"), os.path.isdir(os.path.dirname(__file__))]
"""
    world = run_worker(code, files={"python_modules/looks.py": looks})
    # What leads to the project shows, and can be read like all folders.
    assert world.body() == ["application/json", [False, False, False, None, True]]


def test_files_of_the_project_show(run_worker: RunWorker) -> None:
    code = answering(
        "[path.exists(), path.stat().st_size, (HERE / 'none.txt').exists(), path.parent == HERE]",
        before="""
        from pathlib import Path
        HERE = Path(__file__).resolve().parent
        path = (HERE / "data.txt").resolve()
        """,
    )
    assert run_worker(code, files={"data.txt": "12345"}).body() == [True, 5, False, True]
