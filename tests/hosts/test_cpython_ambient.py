"""Clocks, timers, randomness and step contexts: virtual, seeded, and noticed when they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.hosts.cpython_world import RunWorker, answering, worker, workers, workflow
from tests.hosts.node_world import EPOCH_MS, effects, invoked, only, outcome, returned

pytestmark = pytest.mark.host

EPOCH_S = EPOCH_MS / 1000


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    with workers(tmp_path_factory.mktemp("workers")) as start:
        yield start


CLOCKS = [
    ("time.time()", EPOCH_S + 2.5),
    ("time.time_ns()", (EPOCH_MS + 2500) * 1_000_000),
    ("time.monotonic()", 2.5),
    ("time.perf_counter_ns()", 2_500_000_000),
    ("time.gmtime()[:6]", [2026, 9, 21, 14, 13, 22]),
    ("time.strftime('%H:%M:%S')", "14:13:22"),
    ("datetime.datetime.now().isoformat()", "2026-09-21T14:13:22.500000"),
    (
        "datetime.datetime.now(datetime.timezone.utc).isoformat()",
        "2026-09-21T14:13:22.500000+00:00",
    ),
    ("datetime.datetime.utcnow().isoformat()", "2026-09-21T14:13:22.500000"),
    ("datetime.datetime.today().isoformat()", "2026-09-21T14:13:22.500000"),
    ("datetime.date.today().isoformat()", "2026-09-21"),
    ("js.Date.now()", EPOCH_MS + 2500),
    ("js.Date.new().toISOString()", "2026-09-21T14:13:22.500Z"),
    ("js.performance.now()", EPOCH_MS + 2500),
    ("asyncio.get_running_loop().time()", 2.5),
]


@pytest.mark.parametrize(("expression", "value"), CLOCKS)
def test_every_clock_shows_virtual_time(
    run_worker: RunWorker, expression: str, value: object
) -> None:
    before = "import asyncio, datetime, js, time"
    world = run_worker(answering(expression, before=before))
    answer = world.request(now=2500)
    assert json.loads(outcome(answer)[1]["body"]) == value
    assert answer["reads"] == ["clock"]


def test_a_clock_stands_still_during_a_move_and_is_told_for_the_move_that_read_it(
    run_worker: RunWorker,
) -> None:
    code = worker("""
        import time
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                first = time.time()
                for _ in range(1000): pass
                same = time.time() == first
                await fetch("https://a.example/")
                await fetch("https://a.example/")
                return Response.json([same, time.time() - first])
    """)
    world = run_worker(code)
    answer = {"status": 200, "headers": {}, "body": None}
    moves = [returned(0, 1, answer, now=1000), returned(0, 2, answer, now=4000)]
    assert world.request()["reads"] == ["clock"]
    assert world.request(moves[0])["reads"] == []
    last = world.request(*moves)
    assert last["reads"] == ["clock"]
    assert json.loads(outcome(last)[1]["body"]) == [True, 4]


def test_what_only_the_library_needs_is_no_read(run_worker: RunWorker) -> None:
    before = """
import asyncio, logging
async def quiet():
    logging.getLogger("x").warning("careful")
    async with asyncio.timeout(5):
        await asyncio.sleep(0)
"""
    answer = run_worker(answering("await quiet()", before=before)).request()
    assert answer["reads"] == []
    assert answer["prints"] == ["careful"]
    assert [effect["args"] for effect in effects(answer)] == [{"ms": 5000}]


def test_datetime_stays_the_class_that_it_is(run_worker: RunWorker) -> None:
    before = "import datetime\nclass Mine(datetime.datetime): pass"
    expression = (
        "[type(datetime.datetime.now()) is datetime.datetime, type(Mine.now()) is Mine,"
        " datetime.datetime(2026, 1, 2).isoformat()]"
    )
    assert run_worker(answering(expression, before=before)).body() == [
        True,
        True,
        "2026-01-02T00:00:00",
    ]


def test_the_time_zone_is_utc_and_has_no_data_of_the_machine(run_worker: RunWorker) -> None:
    before = """
import datetime, time, zoneinfo
def zone():
    try:
        return str(zoneinfo.ZoneInfo("Europe/Lisbon"))
    except zoneinfo.ZoneInfoNotFoundError:
        return "none"
"""
    expression = "[datetime.datetime.fromtimestamp(0).hour, time.tzname[0], zone()]"
    hour, name, zone = run_worker(answering(expression, before=before)).body()
    assert (hour, name) == (0, "UTC")
    assert zone in {"none", "Europe/Lisbon"}


TIMERS = [
    ("asyncio.sleep(1.5)", 1500),
    ("asyncio.sleep(0.0001)", 1),
    ("asyncio.wait_for(asyncio.Event().wait(), timeout=2)", 2000),
    ("js.Promise.new(lambda resolve, _: js.setTimeout(resolve, 300))", 300),
]


@pytest.mark.parametrize(("wait", "ms"), TIMERS)
def test_a_timer_is_an_effect_that_fires_when_it_is_answered(
    run_worker: RunWorker, wait: str, ms: int
) -> None:
    code = worker(
        "import asyncio, js\n"
        "class Default(WorkerEntrypoint):\n"
        "    async def fetch(self, request):\n"
        "        try:\n"
        f"            await {wait}\n"
        "        except TimeoutError:\n"
        "            return Response('timed out')\n"
        "        return Response('woke')\n"
    )
    world = run_worker(code)
    (effect,) = effects(world.request())
    assert (effect["kind"], effect["name"], effect["operation"]) == ("timer", "Timer", "timer")
    assert effect["args"] == {"ms": ms}
    assert effect["place"] == "worker.py:6"
    body = outcome(world.request(returned(0, 1, {"$": "undefined"})))[1]["body"]
    assert body == ("timed out" if "wait_for" in wait else "woke")


def test_sleeping_for_nothing_only_lets_others_run(run_worker: RunWorker) -> None:
    before = """
import asyncio
seen = []
async def other(n):
    for _ in range(2):
        seen.append(n)
        await asyncio.sleep(0)
async def both():
    await asyncio.gather(other(1), other(2))
    return seen
"""
    assert run_worker(answering("await both()", before=before)).body() == [1, 2, 1, 2]


def test_a_cancelled_timer_does_nothing(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio, js
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                loop = asyncio.get_running_loop()
                handle = loop.call_later(1, print, "python")
                number = js.setTimeout(lambda: print("javascript"), 1000)
                handle.cancel()
                js.clearTimeout(number)
                await fetch("https://a.example/")
    """)
    reaction = only(run_worker(code).request()["reactions"])
    assert [effect["kind"] for effect in reaction["effects"]] == ["timer", "timer", "call"]
    assert reaction["cancelled"] == [1, 2]


def test_a_timeout_that_is_not_needed_is_cancelled(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                async with asyncio.timeout(1):
                    await fetch("https://a.example/")
                task = asyncio.create_task(asyncio.sleep(5))
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.sleep(2)
    """)
    world = run_worker(code)
    reaction = only(world.request(returned(0, 2, {"status": 200}))["reactions"])
    assert [effect["args"] for effect in reaction["effects"]] == ['{"ms":5000}', '{"ms":2000}']
    assert reaction["cancelled"] == [1, 3]
    # What has passed is not cancelled when the code that waited for it goes on.
    ended = only(world.request(returned(0, 2, {"status": 200}), returned(0, 4))["reactions"])
    assert "cancelled" not in ended


RANDOM = [
    "random.random()",
    "random.randint(1, 10**9)",
    "random.choice(range(10**9))",
    "random.sample(range(10**6), 3)",
    "random.Random().random()",
    "random.SystemRandom().random()",
    "str(uuid.uuid4())",
    "os.urandom(8).hex()",
    "secrets.token_hex(8)",
    "js.Math.random()",
    "js.crypto.randomUUID()",
    "js.crypto.getRandomValues(js.Uint8Array.new(8)).to_bytes().hex()",
]


@pytest.mark.parametrize("expression", RANDOM)
def test_randomness_comes_from_the_salt_and_is_told(run_worker: RunWorker, expression: str) -> None:
    before = "import js, os, random, secrets, uuid"
    world = run_worker(answering(f"[{expression}, {expression}]", before=before))
    first, second = world.body(salt="a")
    assert first != second
    assert world.body(salt="a") == [first, second]
    assert world.body(salt="a", warm=True) == [first, second]
    assert world.body(salt="b") != [first, second]
    assert world.request(salt="a")["reads"] == ["random"]


def test_each_fiber_draws_from_its_own_salt(run_worker: RunWorker) -> None:
    body = """
    import random
    mine = random.random()
    @step.do("s")
    async def s(): return random.random()
    await s()
    return [mine, random.random()]
    """
    world = run_worker(workflow(body))

    def drawn(salt: str) -> Any:
        return outcome(world.job(invoked(0, 1, salt=salt)), 1)[1]

    assert drawn("x") == drawn("x") != drawn("y")
    moves = [invoked(0, 1, salt="x"), returned(0, 1, 0)]
    assert outcome(world.job(*moves)) == outcome(world.job(moves[1]))


def test_a_generator_that_is_seeded_is_no_read(run_worker: RunWorker) -> None:
    before = """
import random
def drawn():
    random.seed(7)
    return [random.random(), random.Random(7).random()]
"""
    world = run_worker(answering("drawn()", before=before))
    answer = world.request(salt="a")
    mine, own = json.loads(outcome(answer)[1]["body"])
    assert mine == own
    assert answer["reads"] == []


def test_randomness_is_refused_while_the_module_is_loaded(run_worker: RunWorker) -> None:
    before = """
import random
try:
    value = random.random()
except RuntimeError as error:
    value = str(error)
"""
    assert (
        "not available while the module is loaded"
        in run_worker(answering("value", before=before)).body()
    )


def test_a_package_that_is_loaded_late_reads_nothing(run_worker: RunWorker) -> None:
    package = "import random, time\nstarted = time.time()\nchance = random.random()\n"
    before = "def late():\n    import latecomer\n    return latecomer.chance"
    world = run_worker(
        answering("late()", before=before), files={"python_modules/latecomer.py": package}
    )
    cold = world.request()
    assert cold["reads"] == []
    assert world.request(warm=True) == cold


CONTEXTS = [
    ("pass", []),
    ("ctx['step']['name']", []),
    ("ctx.config", []),
    ("ctx['attempt']", ["context"]),
    ("ctx.attempt", ["context"]),
    ("ctx.get('attempt')", ["context"]),
    ("ctx['step']['count']", ["context"]),
    ("ctx.step.count", ["context"]),
    ("dict(ctx)", ["context"]),
    ("{**ctx}", ["context"]),
    ("str(ctx)", ["context"]),
    ("json.dumps(ctx)", ["context"]),
    ("copy.deepcopy(ctx)", ["context"]),
    ("ctx == {}", ["context"]),
    ("list(ctx)", []),
    ("[each for each in ctx.values()]", ["context"]),
]


@pytest.mark.parametrize(("use", "reads"), CONTEXTS)
def test_reading_what_differs_between_attempts_is_told(
    run_worker: RunWorker, use: str, reads: list[str]
) -> None:
    body = f"""
    import copy, json
    @step.do("s")
    async def s(ctx):
        {use}
    await s()
    """
    world = run_worker(workflow(body))
    answer = world.job(invoked(0, 1))
    assert outcome(answer, 1) == ("returned", None)
    assert answer["reads"] == reads
    assert world.job(invoked(0, 1), warm=True) == answer


def test_the_context_is_still_a_dictionary_with_attributes(run_worker: RunWorker) -> None:
    body = """
    import json
    @step.do("s")
    async def s(ctx):
        return [isinstance(ctx, dict), json.loads(json.dumps(ctx)), ctx.step.name]
    await s()
    """
    argument = {"step": {"name": "s", "count": 2}, "attempt": 3, "config": {"timeout": 5}}
    answer = run_worker(workflow(body)).job(invoked(0, 1, argument=argument))
    assert outcome(answer, 1) == ("returned", [True, argument, "s"])


def test_a_timer_of_javascript_belongs_to_the_fiber_that_set_it(run_worker: RunWorker) -> None:
    body = """
    import js
    from pyodide.ffi import create_proxy
    def later():
        js.fetch("https://a.example/late")
    @step.do("s")
    async def s():
        js.setTimeout(create_proxy(later), 5)
    @step.do("t")
    async def t(): pass
    await s()
    await t()
    """
    world = run_worker(workflow(body))
    moves = [invoked(0, 1), returned(0, 1, None), returned(1, 1, None)]
    (effect,) = effects(world.job(*moves), 1)
    assert (effect["ordinal"], effect["args"]["url"]) == (2, "https://a.example/late")


def test_the_order_of_things_is_first_in_first_out(run_worker: RunWorker) -> None:
    code = worker("""
        import asyncio
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                async def call(n):
                    return (await fetch(f"https://a.example/{n}")).status
                found = await asyncio.gather(*(call(n) for n in range(5)))
                return Response.json(found)
    """)
    world = run_worker(code)
    urls = [effect["args"]["url"][-1] for effect in effects(world.request())]
    assert urls == ["0", "1", "2", "3", "4"]
    order = [3, 1, 5, 2, 4]
    moves = [returned(0, n, {"status": 200 + n, "headers": {}, "body": None}) for n in order]
    assert world.body(*moves) == [201, 202, 203, 204, 205]


def test_processes_look_the_same_everywhere(run_worker: RunWorker) -> None:
    before = "import os, sys"
    world = run_worker(answering("[os.getpid(), sorted(os.environ), sys.argv[1:]]", before=before))
    pid, environment, arguments = world.body()
    assert (pid, arguments) == (42, [])
    assert not {"HOME", "PATH", "USER"} & set(environment)


def test_an_unanswered_effect_stays_where_it_is(run_worker: RunWorker) -> None:
    world = run_worker(answering("(await fetch('https://a.example/')).status"))
    (reaction,) = world.request()["reactions"]
    assert only(reaction["effects"])["ordinal"] == 1
    assert not {"returned", "threw"} & set(reaction)


READS_OF_EVENTS = [
    'event["timestamp"]',
    "event.timestamp",
    'event.get("timestamp")',
    'event.pop("timestamp")',
    'dict(event)["timestamp"]',
    '{**event}["timestamp"]',
    'event.copy()["timestamp"]',
    '({} | event)["timestamp"]',
    'copy.deepcopy(event)["timestamp"]',
    "str(event)",
    "event == {}",
    "event != {}",
    "(event | {}).timestamp",
    '[value for name, value in event.items() if name == "timestamp"][0]',
    'json.loads(json.dumps(event, default=str))["timestamp"]',
    'step_result["timestamp"]',
]
NO_READS_OF_EVENTS = ['event["payload"]', "event.instanceId", "list(event)", '"timestamp" in event']
READING = """
@step.do("s")
async def s(): return event
if event["payload"] == 1:
    event = await step.wait_for_event("w", "t")
step_result = await s() if {is_step} else None
return {expression}
"""


def reading(expression: str) -> str:
    body = READING.format(expression=expression, is_step="step_result" in expression)
    return workflow(body, before="import copy, json")


@pytest.mark.parametrize("expression", READS_OF_EVENTS)
def test_the_time_of_an_event_is_read_like_a_clock(run_worker: RunWorker, expression: str) -> None:
    world = run_worker(reading(expression))
    moves = [invoked(0, 1)] if "step_result" in expression else []
    assert world.job(*moves)["reads"] == ["clock"]
    if not moves:
        event = {"payload": None, "timestamp": {"$": "date", "of": 7}, "type": "t"}
        assert world.job(returned(0, 1, event), payload=1)["reads"] == ["clock"]


@pytest.mark.parametrize("expression", NO_READS_OF_EVENTS)
def test_the_rest_of_an_event_is_no_clock(run_worker: RunWorker, expression: str) -> None:
    answer = run_worker(reading(expression)).job()
    assert answer["reads"] == []
    assert outcome(answer)[0] == "returned"
