"""Isolates: nothing outlives one but what a warm evaluation is meant to see; nothing leaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.cpython_world import RunWorker, answering, worker, workers, workflow
from tests.hosts.node_world import effects, invoked, outcome, returned

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


COUNTER = """
import helper
count = 0
def counted():
    global count
    count += 1
    helper.count += 1
    return [count, helper.count]
"""


def test_module_variables_start_anew_unless_the_isolate_is_warm(run_worker: RunWorker) -> None:
    world = run_worker(answering("counted()", before=COUNTER), files={"helper.py": "count = 10"})
    assert world.body() == [1, 11]
    assert world.body() == [1, 11]
    assert world.body(warm=True) == [2, 12]
    assert world.body(warm=True) == [3, 13]
    assert world.body() == [1, 11]


def test_a_warm_evaluation_without_a_predecessor_is_cold(run_worker: RunWorker) -> None:
    world = run_worker(answering("counted()", before=COUNTER), files={"helper.py": "count = 10"})
    assert world.body(warm=True) == [1, 11]


def test_modules_imported_late_are_the_isolates_own(run_worker: RunWorker) -> None:
    before = """
def late():
    import helper
    helper.count += 1
    return helper.count
"""
    world = run_worker(answering("late()", before=before), files={"helper.py": "count = 10"})
    assert [world.body(), world.body(), world.body(warm=True)] == [11, 11, 12]


def test_modules_of_packages_are_loaded_once(run_worker: RunWorker) -> None:
    package = "count = 0\ndef add():\n    global count\n    count += 1\n    return count\n"
    files = {"python_modules/shared.py": package}
    world = run_worker(answering("shared.add()", before="import shared"), files=files)
    assert [world.body(), world.body()] == [1, 2]


POLLUTION = """
import builtins, json, logging, os, random, sys, time
import js, workers
def polluted():
    found = [
        len(logging.getLogger().handlers),
        logging.getLogger("mine").level,
        "LEFT" in os.environ,
        "nowhere" in sys.path,
        hasattr(builtins, "left"),
        json.dumps is left,
        time.time is left,
        js.fetch is left,
        workers.fetch is left,
        random.random is left,
    ]
    logging.basicConfig()
    logging.getLogger("mine").setLevel(5)
    os.environ["LEFT"] = "1"
    sys.path.append("nowhere")
    builtins.left = 1
    json.dumps = time.time = js.fetch = workers.fetch = random.random = left
    return found
def left(*args, **options): return "[]"
"""


def test_what_one_isolate_changes_in_shared_modules_the_next_does_not_see(
    run_worker: RunWorker,
) -> None:
    code = worker(
        POLLUTION + "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        "        return Response(repr(polluted()))\n"
    )
    world = run_worker(code)
    clean = [0, 0, *[False] * 8]
    for _ in range(2):
        assert outcome(world.request())[1]["body"] == repr(clean)


def test_an_abandoned_evaluation_does_nothing_more(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio
        from workers import wait_until

        async def generator():
            try:
                yield 1
                await asyncio.sleep(1)
                yield 2
            finally:
                print("generator closed")

        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                try:
                    async for each in generator():
                        print("got", each)
                finally:
                    print("finally")
                    await fetch("https://a.example/late")
    """)
    world = run_worker(code)
    first = world.request()
    assert first["prints"] == ["got 1"]
    for _ in range(3):
        assert world.request() == first
        assert world.request(warm=True) == first


def test_code_that_refuses_to_end_is_left_behind(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                while True:
                    try:
                        await asyncio.sleep(1)
                    except GeneratorExit:
                        continue
                    finally:
                        asyncio.get_running_loop().call_soon(print, "late")
    """)
    world = run_worker(code, deadline_s=3)
    first = world.request()
    assert world.request() == first


SETS = """
@step.do("s")
async def s(): return 1
names = {"alpha", "beta", "gamma", "delta", "epsilon"}
for name in names:
    await step.sleep(name, 1)
"""


def test_code_that_depends_on_the_order_of_a_set_differs_between_hash_seeds(
    run_worker: RunWorker,
) -> None:
    first_names = set()
    for seed in range(4):
        world = run_worker(workflow(SETS), hash_seed=seed)
        (effect,) = effects(world.job())
        (again,) = effects(run_worker(workflow(SETS), hash_seed=seed).job())
        assert effect == again
        first_names.add(effect["name"])
    assert len(first_names) > 1


def test_everything_else_is_the_same_under_another_hash_seed(run_worker: RunWorker) -> None:
    body = """
    import random
    @step.do("s", config={"timeout": 5})
    async def s(ctx):
        print({"b": 1, "a": 2})
        return [random.random(), ctx["attempt"]]
    await s()
    raise ValueError("end")
    """
    moves = [invoked(0, 1, salt="x"), returned(0, 1, None)]
    answers = []
    for seed in (0, 1):
        world = run_worker(workflow(body), hash_seed=seed)
        answers.append([world.job(*moves[:count]) for count in range(3)])
    assert answers[0] == answers[1]


MEMORY = """
import os
class Big:
    def __init__(self): self.data = bytearray(100_000); self.me = self
class Job(WorkflowEntrypoint):
    async def run(self, event, step):
        big = Big()
        @step.do("s")
        async def s():
            hold = big
            await fetch("https://a.example/")
        await s()
class Default(WorkerEntrypoint):
    async def fetch(self, request):
        with open("/proc/self/statm") as file:
            return Response(file.read())
"""


def resident_kb(world_pid: int) -> int:
    status = Path(f"/proc/{world_pid}/status").read_text(encoding="utf-8")
    line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_thousands_of_abandoned_evaluations_leave_no_memory_behind(run_worker: RunWorker) -> None:
    world = run_worker(worker(MEMORY))
    child = world.host._process._child
    assert child is not None

    def evaluate(count: int) -> int:
        for number in range(count):
            world.job(invoked(0, 1), warm=number % 2 == 1)
        return resident_kb(child.pid)

    settled = evaluate(300)
    # Each evaluation makes 100 kB of cyclic garbage: 2,000 of them would be 200 MB.
    assert evaluate(2000) - settled < 20_000


def test_the_same_question_has_the_same_answer(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                task = asyncio.create_task(asyncio.sleep(0))
                other = object()
                return Response.json([task.get_name(), asyncio.current_task().get_name()])
    """)
    world = run_worker(code)
    told = [json.dumps(world.request(warm=warm)) for warm in (False, True, False, True)]
    assert len(set(told)) == 1


def test_context_variables_do_not_reach_a_step(run_worker: RunWorker) -> None:
    body = """
    import contextvars
    mine = contextvars.ContextVar("mine", default="none")
    mine.set("run")
    @step.do("s")
    async def s(): return mine.get()
    return [mine.get(), await s()]
    """
    world = run_worker(workflow(body))
    assert outcome(world.job(invoked(0, 1)), 1) == ("returned", "none")
