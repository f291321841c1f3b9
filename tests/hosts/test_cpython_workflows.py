"""Python Workflows as the SDK of generation D runs them: steps, dependencies, errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.cpython_world import Engine, RunWorker, workers, workflow
from tests.hosts.node_world import effects, invoked, outcome, returned, threw

pytestmark = pytest.mark.host

LEGACY = ["no_python_workflows_implicit_dependencies"]


@pytest.fixture(scope="module")
def run_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunWorker]:
    folder: Path = tmp_path_factory.mktemp("workers")
    with workers(folder) as start:
        yield start


def run(start: RunWorker, body: str, *, limit: int = 0, flags: list[str] | None = None) -> Engine:
    return Engine(start(workflow(body), flags=flags or []), limit=limit).run()


def test_a_step_awaited_twice_asks_twice_but_its_value_serves_dependants(
    run_worker: RunWorker,
) -> None:
    engine = run(
        run_worker,
        """
        @step.do("a")
        async def a():
            return 1

        @step.do("b")
        async def b(a):
            return a

        await a(); await a()
        await b()
        return await b()
        """,
    )
    assert engine.started == ["a-1#1", "a-2#1", "b-1#1", "b-2#1"]
    assert engine.result == 1


def test_a_diamond_of_one_level_runs_each_body_once(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        @step.do()
        async def base(): return 1
        @step.do()
        async def left(base): return base + 1
        @step.do()
        async def right(base): return base + 2
        @step.do(concurrent=True)
        async def top(left, right): return [left, right]
        return await top()
        """,
    )
    assert engine.started == ["base-1#1", "left-1#1", "right-1#1", "top-1#1"]
    assert engine.result == [2, 3]


def test_a_diamond_of_two_levels_starts_the_middle_step_twice(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        @step.do()
        async def base(): return 1
        @step.do()
        async def mid(base): return base + 1
        @step.do()
        async def left(mid): return mid
        @step.do()
        async def right(mid): return mid
        @step.do(concurrent=True)
        async def top(left, right): return left + right
        return await top()
        """,
    )
    assert [line for line in engine.started if line.startswith("mid")] == ["mid-1#1", "mid-2#1"]
    assert engine.result == 4


def test_a_step_redefined_in_a_loop_is_another_step(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        found = []
        for number in range(3):
            @step.do("item")
            async def item(): return number
            @step.do("use")
            async def use(item): return item
            found.append(await use())
        return found
        """,
    )
    assert engine.result == [0, 1, 2]
    assert [line for line in engine.started if line.startswith("item")] == [
        "item-1#1",
        "item-2#1",
        "item-3#1",
    ]


NAMED_OTHERWISE = """
    @step.do("my a")
    async def a(): return 1
    @step.do("b"{depends})
    async def b(a): return a
    try:
        return await b()
    except TypeError as error:
        return str(error)
"""


def test_a_dependency_goes_by_the_name_of_the_step_not_of_the_function(
    run_worker: RunWorker,
) -> None:
    engine = run(run_worker, NAMED_OTHERWISE.format(depends=""))
    assert engine.result == "Received unexpected parameter a"
    assert engine.log == []
    legacy = run(run_worker, NAMED_OTHERWISE.format(depends=", depends=[a]"), flags=LEGACY)
    assert legacy.result == 1


def failing(raised: str, *, before: str = "") -> str:
    return f"""
    from workers.workflows import NonRetryableError
    {before}
    @step.do("n")
    async def n():
        raise {raised}
    try:
        await n()
    except Exception as error:
        text = getattr(error, "message", str(error))
        return [type(error).__name__, text.rstrip().split(chr(10))[-1]]
    """


def test_a_non_retryable_error_is_raised_again_after_one_attempt(run_worker: RunWorker) -> None:
    engine = run(run_worker, failing('NonRetryableError("stop")'), limit=2)
    assert engine.started == ["n-1#1"]
    assert engine.result == ["NonRetryableError", "stop"]


def test_the_message_of_a_non_retryable_error_is_the_rest_of_the_last_line(
    run_worker: RunWorker,
) -> None:
    assert run(run_worker, failing("NonRetryableError()")).result == ["NonRetryableError", ""]
    engine = run(run_worker, failing('NonRetryableError("first: a" + chr(10) + "second: b")'))
    assert engine.result == ["NonRetryableError", "b"]


def test_a_subclass_with_another_name_is_retried(run_worker: RunWorker) -> None:
    before = "class Fatal(NonRetryableError): pass"
    engine = run(run_worker, failing('Fatal("stop")', before=before), limit=2)
    assert engine.started == ["n-1#1", "n-1#2", "n-1#3"]
    assert engine.result == ["JsException", "worker.Job.run.<locals>.Fatal: stop"]


def test_an_unrelated_class_of_that_name_is_not_retried(run_worker: RunWorker) -> None:
    body = failing('NonRetryableError("own")').replace(
        "from workers.workflows import NonRetryableError",
        "NonRetryableError = own.NonRetryableError",
    )
    before = "class own:\n    pass\nclass NonRetryableError(Exception):\n    pass\n"
    code = workflow(body, before=before + "own.NonRetryableError = NonRetryableError\n")
    engine = Engine(run_worker(code), limit=2).run()
    assert engine.started == ["n-1#1"]
    assert engine.result == ["NonRetryableError", "own"]


def test_value_and_type_errors_keep_their_class_and_others_do_not(run_worker: RunWorker) -> None:
    assert run(run_worker, failing('ValueError("bad: x")')).result == [
        "ValueError",
        "ValueError: bad: x",
    ]
    assert run(run_worker, failing('TypeError("t")')).result == ["TypeError", "TypeError: t"]
    assert run(run_worker, failing('KeyError("k")')).result == ["JsException", "KeyError: 'k'"]


def test_a_tuple_is_no_result_of_a_step(run_worker: RunWorker) -> None:
    body = failing("KeyError()").replace("raise KeyError()", "return (1, 2)")
    engine = run(run_worker, body, limit=1)
    assert engine.started == ["n-1#1", "n-1#2"]
    assert engine.result == ["TypeError", "TypeError: <class 'tuple'> cannot be sent over RPC."]


def test_siblings_of_a_failed_dependency_go_on(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        import asyncio

        @step.do()
        async def bad(): raise ValueError("no")
        @step.do()
        async def slow():
            await asyncio.sleep(1)
            return 1
        @step.do(concurrent=True)
        async def top(bad, slow): return 1
        caught = []
        for _ in range(2):
            try:
                await top()
            except ValueError as error:
                caught.append(str(error))
            await asyncio.sleep(5)
        return caught
        """,
    )
    assert engine.result == ["ValueError: no"] * 2
    assert engine.log == ["bad-1#1", "slow-1#1", "slow-1 ok", "bad-2#1"]


def test_one_step_may_run_twice_at_once(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        import asyncio

        @step.do("a")
        async def a(): return "v"
        return await asyncio.gather(a(), a())
        """,
    )
    assert engine.started == ["a-1#1", "a-2#1"]
    assert engine.result == ["v", "v"]


def test_wrong_dependencies_are_errors_before_anything_is_asked(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        @step.do("p")
        async def p(x): return x
        @step.do("q", depends=[p])
        async def q(): return 1
        @step.do("r", depends=[len])
        async def r(x): return x
        found = []
        for each in (p, q, r):
            try:
                await each()
            except TypeError as error:
                found.append(str(error))
        return len(found)
        """,
        flags=LEGACY,
    )
    assert engine.result == 3
    assert engine.log == []


def test_depends_is_refused_where_dependencies_are_implicit(run_worker: RunWorker) -> None:
    body = """
    try:
        step.do("a", depends=[])
    except TypeError:
        return "refused"
    """
    assert run(run_worker, body).result == "refused"


def test_the_step_context_reaches_the_parameter_ctx(run_worker: RunWorker) -> None:
    engine = run(
        run_worker,
        """
        @step.do("s")
        async def s(ctx):
            if ctx["attempt"] == 1:
                raise ValueError("again")
            return [ctx["attempt"], ctx.step.name, ctx["step"]["count"]]
        return await s()
        """,
        limit=1,
    )
    assert engine.result == [2, "s", 1]


SLEEPER = """
from datetime import datetime, timezone
config = {"retries": {"limit": 2, "delay": "5 seconds", "backoff": "constant"}, "timeout": 1000}
@step.do("s", config=config)
async def s(): pass
await step.sleep("nap", "1 minute")
await step.sleep_until("dawn", datetime(2026, 10, 1, tzinfo=timezone.utc))
found = await step.wait_for_event("go", "started", timeout=5)
await s()
return [found["payload"], found.type]
"""


def test_each_step_method_is_one_effect_with_what_the_engine_is_given(
    run_worker: RunWorker,
) -> None:
    world = run_worker(workflow(SLEEPER))
    undefined = {"$": "undefined"}
    (nap,) = effects(world.job())
    assert (nap["kind"], nap["operation"], nap["name"]) == ("sleep", "sleep", "nap")
    assert nap["args"] == {"duration": "1 minute"}
    moves = [returned(0, 1, undefined)]
    (dawn,) = effects(world.job(*moves))
    assert (dawn["operation"], dawn["args"]) == (
        "sleepUntil",
        {"until": {"$": "date", "of": 1_790_812_800_000}},
    )
    moves.append(returned(0, 2, undefined))
    (wait,) = effects(world.job(*moves))
    assert (wait["kind"], wait["operation"]) == ("wait", "waitForEvent")
    assert wait["args"] == {"options": {"type": "started", "timeout": 5}}
    event = {"payload": {"n": 1}, "timestamp": {"$": "date", "of": 0}, "type": "started"}
    moves.append(returned(0, 3, event))
    (step,) = effects(world.job(*moves))
    assert (step["kind"], step["operation"], step["name"]) == ("step", "do", "s")
    assert step["args"] == {
        "config": {
            "retries": {"limit": 2, "delay": "5 seconds", "backoff": "constant"},
            "timeout": 1000,
        },
        "hasCallback": True,
        "hasDelayFunction": False,
        "rollback": undefined,
    }
    assert step["place"] == "worker.py:13"
    moves.append(returned(0, 4, undefined))
    assert outcome(world.job(*moves)) == ("returned", [{"n": 1}, "started"])


def test_a_delay_function_is_called_for_its_value(run_worker: RunWorker) -> None:
    body = """
    def delay(given): return given.ctx.attempt * 100
    @step.do("s", config={"retries": {"limit": 1, "delay": delay}})
    async def s(): pass
    await s()
    """
    world = run_worker(workflow(body))
    (step,) = effects(world.job())
    assert step["args"]["hasDelayFunction"] is True
    assert step["args"]["config"] == {"retries": {"limit": 1}}
    argument = {"ctx": {"attempt": 3}, "error": None}
    answer = world.job(invoked(0, 1, "delay", argument))
    assert outcome(answer, 1) == ("returned", 300)


def test_the_event_is_a_dictionary_that_also_has_attributes(run_worker: RunWorker) -> None:
    body = """
    when = event["timestamp"]
    return [event.payload.n, event["payload"].get("missing", "none"), event.instanceId,
            event["workflowName"], when.year, type(when).__name__]
    """
    world = run_worker(workflow(body))
    assert outcome(world.job(payload={"n": 1}))[1] == [
        1,
        "none",
        "job-1",
        "jobs",
        2026,
        "datetime",
    ]


def test_a_step_is_attributed_to_the_fiber_that_asks_for_it(run_worker: RunWorker) -> None:
    body = """
    @step.do("outer")
    async def outer():
        @step.do("inner")
        async def inner(): return 1
        return await inner()
    return await outer()
    """
    world = run_worker(workflow(body))
    answer = world.job(invoked(0, 1))
    (inner,) = effects(answer, 1)
    assert (inner["ordinal"], inner["name"]) == (1, "inner")
    moves = [invoked(0, 1), invoked(1, 1), returned(1, 1, 1)]
    assert outcome(world.job(*moves), 1) == ("returned", 1)


def test_an_effect_belongs_to_the_fiber_whose_code_issues_it_whoever_is_woken(
    run_worker: RunWorker,
) -> None:
    body = """
    import asyncio
    told = asyncio.Event()

    @step.do("waits")
    async def waits():
        await told.wait()
        return (await fetch("https://x.example/waits")).status

    @step.do("tells")
    async def tells():
        await fetch("https://x.example/tells")
        told.set()

    await asyncio.gather(waits(), tells())
    """
    world = run_worker(workflow(body))
    moves = [invoked(0, 1), invoked(0, 2)]
    (tells,) = effects(world.job(*moves), 2)
    assert tells["args"]["url"] == "https://x.example/tells"
    moves.append(returned(2, 1, {"status": 200, "headers": {}, "body": None}))
    answer = world.job(*moves)
    assert outcome(answer, 2) == ("returned", None)
    (waits,) = effects(answer, 1)
    assert waits["args"]["url"] == "https://x.example/waits"


def test_engine_errors_come_back_as_the_sdk_maps_them(run_worker: RunWorker) -> None:
    body = """
    @step.do("s")
    async def s(): pass
    try:
        await s()
    except Exception as error:
        return [type(error).__name__, str(error)]
    """
    world = run_worker(workflow(body))

    def caught(**error: str) -> object:
        return outcome(world.job(threw(0, 1, **error)))[1]

    late = "Execution timed out after 5ms"
    assert caught(name="WorkflowTimeoutError", message=late) == [
        "JsException",
        f"WorkflowTimeoutError: {late}",
    ]
    assert caught(name="RangeError", message="r") == ["ValueError", "r"]
    assert caught(name="TypeError", message="t") == ["TypeError", "t"]
    assert caught(name="PythonError", message="PythonError") == [
        "JsException",
        "PythonError: PythonError",
    ]


def test_tracebacks_name_nothing_of_this_machine(run_worker: RunWorker) -> None:
    code = workflow(
        """
        @step.do("s")
        async def s():
            import json, traceback
            try:
                json.loads("{")
            except ValueError:
                return traceback.format_exc()
        @step.do("t")
        async def t():
            raise Broken("it") from KeyError("k")
        await s()
        await t()
        """,
        before="class Broken(Exception): pass",
    )
    world = run_worker(code, main="src/worker.py")
    text = outcome(world.job(invoked(0, 1)), 1)[1]
    assert text.splitlines()[:3] == [
        "Traceback (most recent call last):",
        '  File "src/worker.py", line 10, in s',
        '    json.loads("{")',
    ]
    assert "json/decoder" not in text
    moves = [returned(0, 1, ""), invoked(0, 2)]
    error = outcome(world.job(*moves), 1)[1]
    assert error["name"] == "PythonError"
    assert error["message"].splitlines()[-3:] == [
        '  File "src/worker.py", line 15, in t',
        '    raise Broken("it") from KeyError("k")',
        "worker.Broken: it",
    ]
    assert "KeyError: 'k'\n\nThe above exception was the direct cause" in error["message"]
    assert 'File "workers/entrypoints.py"' in error["message"]


def test_run_ends_with_undefined_when_it_returns_nothing(run_worker: RunWorker) -> None:
    assert outcome(run_worker(workflow("pass")).job()) == ("returned", {"$": "undefined"})


def test_a_plain_function_may_be_run_and_a_step(run_worker: RunWorker) -> None:
    code = workflow("return 7").replace("async def run", "def run")
    assert outcome(run_worker(code).job()) == ("returned", 7)
    body = """
    @step.do("s")
    def s(): return {"a": None}
    return await s()
    """
    assert run(run_worker, body).result == {"a": None}


def test_step_has_no_other_methods(run_worker: RunWorker) -> None:
    body = """
    found = []
    for name in ("with_rollback", "rollback_all", "do_something"):
        try:
            getattr(step, name)
        except AttributeError:
            found.append(name)
    return found
    """
    assert len(outcome(run_worker(workflow(body)).job())[1]) == 3


def test_what_cannot_be_cloned_is_named(run_worker: RunWorker) -> None:
    body = """
    @step.do("s")
    async def s(): return {"when": complex(1, 2)}
    await s()
    """
    world = run_worker(workflow(body))
    kind, error = outcome(world.job(invoked(0, 1)), 1)
    assert (kind, error["name"]) == ("threw", "DataCloneError")
    assert error["of"] == {"notCloneable": "a Python object of class complex"}


def test_the_stack_of_what_was_thrown_is_told(run_worker: RunWorker) -> None:
    world = run_worker(workflow("raise KeyError(1)"))
    (reaction,) = world.job()["reactions"]
    assert reaction["stack"].splitlines()[-1] == "KeyError: 1"
    assert json.loads(reaction["threw"])["message"] == reaction["stack"]
