"""What hosts tell, seen from the outside: whole checks of Workers in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from eutaxy._base.record import Record, RecordKind
from eutaxy._base.verdict import VerdictKind
from eutaxy.errors import HostError, ScenarioError, UnfaithfulError, UnmodelledError
from tests.hosts.project import LANGUAGES, check_project, fault_free_records

pytestmark = pytest.mark.host

both = pytest.mark.parametrize("language", LANGUAGES)


def _logged(records: tuple[Record, ...]) -> list[dict[str, Any]]:
    """Bodies of the requests to the service, in order."""
    bodies: list[dict[str, Any]] = []
    for record in records:
        if record.kind is RecordKind.EFFECT and record.text.startswith("Fetch:log"):
            assert record.args is not None
            bodies.append(json.loads(json.loads(record.args)["body"]))
    return bodies


TIMES = {
    "typescript": """
        export class Job extends WorkflowEntrypoint {
          async run(event: any, step: any) {
            await step.do("tell", async () => { await log({ key: "a", at: event.timestamp }); });
            const heard = await step.waitForEvent("go", { type: "go" });
            await step.do("tell again", async () => { await log({ key: "b", at: heard.timestamp }); });
          }
        }
        export default { async fetch(request: Request, env: any) {
          await scheduler.wait(1000);
          const job = await env.JOBS.create({ id: "j" });
          await scheduler.wait(500);
          await job.sendEvent({ type: "go", payload: 1 });
          return new Response();
        } };
        """,
    "python": """
        import asyncio
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                @step.do("tell")
                async def tell():
                    await log({"key": "a", "at": event["timestamp"].isoformat()})
                await tell()
                heard = await step.wait_for_event("go", "go")
                @step.do("tell again")
                async def again():
                    await log({"key": "b", "at": heard.timestamp.isoformat()})
                await again()
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await asyncio.sleep(1)
                job = await self.env.JOBS.create({"id": "j"})
                await asyncio.sleep(0.5)
                await job.sendEvent({"type": "go", "payload": 1})
                return Response("")
        """,
}

TIMES_SEEN = {
    "typescript": ["2026-01-01T00:00:01.000Z", "2026-01-01T00:00:01.500Z"],
    "python": ["2026-01-01T00:00:01", "2026-01-01T00:00:01.500000"],
}


@both
def test_timestamps_of_events_show_when_they_came(tmp_path: Path, language: str) -> None:
    logged = _logged(fault_free_records(tmp_path, language, TIMES[language]))
    assert [body["at"] for body in logged] == TIMES_SEEN[language]


CLEARED = {
    "typescript": """
        export class Job extends WorkflowEntrypoint {
          async run(event: any, step: any) {
            const limit = setTimeout(() => {}, 3_600_000);
            await step.do("tell", async () => { await log({ key: "a" }); });
            clearTimeout(limit);
            await step.sleep("long", "10 minutes");
            await step.do("tell again", async () => { await log({ key: "b" }); });
          }
        }
        export default { async fetch(request: Request, env: any) {
          const limit = setTimeout(() => {}, 60_000);
          await env.JOBS.create({ id: "j" });
          clearTimeout(limit);
          await scheduler.wait(1);
          return new Response();
        } };
        """,
    "python": """
        import asyncio
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                @step.do("tell")
                async def tell():
                    await log({"key": "a"})
                async with asyncio.timeout(3600):
                    await tell()
                await step.sleep("long", "10 minutes")
                @step.do("tell again")
                async def again():
                    await log({"key": "b"})
                await again()
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                async with asyncio.timeout(60):
                    await self.env.JOBS.create({"id": "j"})
                await asyncio.sleep(0.001)
                return Response("")
        """,
}


@both
def test_cleared_timers_neither_press_nor_keep_an_instance_in_memory(
    tmp_path: Path, language: str
) -> None:
    records = fault_free_records(tmp_path, language, CLEARED[language])
    assert [body["key"] for body in _logged(records)] == ["a", "b"]
    assert [record.text for record in records if record.kind is RecordKind.SUSPENDED] == [
        "suspended"
    ]
    assert max(record.at_ms for record in records) == 600_000


THROWN = {
    "typescript": """
        function refuse(): never {
          throw new Error("out of paper");
        }
        export class Job extends WorkflowEntrypoint {
          async run(event: any, step: any) {
            await step.do("print", { retries: { limit: 0, delay: 1 } }, async () => refuse());
          }
        }
        export default { async fetch(request: Request, env: any) {
          await env.JOBS.create({ id: "j" });
          return new Response();
        } };
        """,
    "python": """
        def refuse():
            raise ValueError("out of paper")
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                @step.do("print", config={"retries": {"limit": 0, "delay": 1}})
                async def printed():
                    refuse()
                await printed()
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await self.env.JOBS.create({"id": "j"})
                return Response("")
        """,
}


def _line_of(folder: Path, language: str, text: str) -> str:
    name = "worker.py" if language == "python" else "worker.ts"
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    return f"{name}:{next(n for n, line in enumerate(lines, 1) if text in line)}"


@both
def test_errors_without_faults_name_the_line_that_threw(tmp_path: Path, language: str) -> None:
    with pytest.raises(ScenarioError, match="out of paper") as raised:
        check_project(tmp_path, language, THROWN[language])
    # In Python the error comes back from the step as one that was raised where it was awaited.
    text = "out of paper" if language == "typescript" else "await printed()"
    assert f"{raised.value.place}:".startswith(_line_of(tmp_path, language, text) + ":")


IN_A_PACKAGE = """
    import { print } from "paper";
    export class Job extends WorkflowEntrypoint { async run() {} }
    export default { async fetch() {
      print("a page");
      return new Response();
    } };
    """


def test_an_error_of_a_package_names_the_line_that_called_it(tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "paper"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "paper", "main": "index.js"}')
    (package / "index.js").write_text('exports.print = () => { throw new Error("jam"); };')
    with pytest.raises(ScenarioError, match="jam") as raised:
        check_project(tmp_path, "typescript", IN_A_PACKAGE)
    assert raised.value.place.startswith(_line_of(tmp_path, "typescript", 'print("a page")') + ":")


ANSWERED = """
    export class Job extends WorkflowEntrypoint { async run() {} }
    export default { async fetch(request: Request, env: any) {
      const job = await env.JOBS.create({ id: "j" });
      await job.restart({ from: { name: "nothing of that name" } });
      return new Response();
    } };
    """


def test_an_error_that_an_answer_brought_names_the_call(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as raised:
        check_project(tmp_path, "typescript", ANSWERED)
    assert raised.value.place.startswith(_line_of(tmp_path, "typescript", "job.restart") + ":")


PAY_OUT = """\
@step.do("pay out")
                async def pay():
                    while True: pass
                await pay()"""
LOOPS = {
    ("typescript", "in a request"): ("running the fetch handler", "", "for (;;);"),
    ("typescript", "in run"): ("running Job.run", "for (;;);", ""),
    ("typescript", "in a step"): (
        "running the callback of step 'pay out'",
        'await step.do("pay out", async () => { for (;;); });',
        "",
    ),
    ("python", "in a request"): ("running the fetch handler", "pass", "while True: pass"),
    ("python", "in run"): ("running Job.run", "while True: pass", "pass"),
    ("python", "in a step"): (
        "running the callback of step 'pay out'",
        PAY_OUT,
        "pass",
    ),
}


@pytest.mark.parametrize("case", LOOPS, ids=" ".join)
def test_what_does_not_end_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str]
) -> None:
    doing, in_run, in_fetch = LOOPS[case]
    if case[0] == "typescript":
        code = f"""
        export class Job extends WorkflowEntrypoint {{ async run(event: any, step: any) {{ {in_run} }} }}
        export default {{ async fetch(request: Request, env: any) {{
          await env.JOBS.create({{ id: "j" }});
          {in_fetch}
          return new Response();
        }} }};
        """
    else:
        code = f"""
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                {in_run}
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await self.env.JOBS.create({{"id": "j"}})
                {in_fetch}
                return Response("")
        """
    monkeypatch.setenv("EUTAXY_DEADLINE_S", "1.5")
    with pytest.raises(HostError) as raised:
        check_project(tmp_path, case[0], code)
    assert raised.value.doing == doing
    assert "no answer within 1.5 s" in raised.value.found
    assert "EUTAXY_DEADLINE_S" in raised.value.remedy
    # The line of the step, or of the call that was answered last.
    if case[1] != "in run":
        assert raised.value.place.startswith("worker.")


STATEFUL = {
    "typescript": """
        let served = 0;
        export class Job extends WorkflowEntrypoint { async run() {} }
        export default { async fetch(request: Request, env: any) {
          served += 1;
          await log({ key: `request ${served}` });
          return new Response();
        } };
        """,
    "python": """
        served = 0
        class Job(WorkflowEntrypoint):
            async def run(self, event, step): pass
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                global served
                served += 1
                await log({"key": f"request {served}"})
                return Response("")
        """,
}
SETS = """
    class Job(WorkflowEntrypoint):
        async def run(self, event, step):
            names = {"ada", "grace", "edsger", "barbara", "alan", "donald", "leslie", "tony"}
            @step.do("tell")
            async def tell():
                await log({"key": ORDER(names)})
            await tell()
    class Default(WorkerEntrypoint):
        async def fetch(self, request):
            await self.env.JOBS.create({"id": "j"})
            return Response("")
    """


@both
def test_module_variables_that_show_make_a_worker_unfaithful(tmp_path: Path, language: str) -> None:
    with pytest.raises(UnfaithfulError) as raised:
        check_project(tmp_path, language, STATEFUL[language])
    assert raised.value.doing == "evaluating fetch a second time with the same answers"
    assert "first Fetch POST" in raised.value.found
    assert "request 1" in raised.value.found


ODD_VALUE = """
    let served = 0;
    export class Job extends WorkflowEntrypoint { async run() {} }
    export default { async fetch(request: Request, env: any) {
      const job = await env.JOBS.create({ id: "j" });
      served += 1;
      await job.sendEvent({ type: "go", payload: [undefined, PADDING, served] });
      return new Response();
    } };
    """


@pytest.mark.parametrize("padding", ["''", "'x'.repeat(200), 'y'"], ids=["short", "long"])
def test_what_differs_is_shown_as_code_has_it(tmp_path: Path, padding: str) -> None:
    with pytest.raises(UnfaithfulError) as raised:
        check_project(tmp_path, "typescript", ODD_VALUE.replace("PADDING", padding))
    assert "[undefined, " in raised.value.found
    did_first, _, did_second = raised.value.found.partition(", then ")
    assert did_first.rstrip("}").endswith("1]")
    assert re.search(r", [2-9]\]\}*$", did_second)


def test_a_difference_in_a_part_that_is_not_shown_is_shown(tmp_path: Path) -> None:
    code = STATEFUL["typescript"].replace("request ${served}", "${'x'.repeat(200)} ${served}")
    with pytest.raises(UnfaithfulError) as raised:
        check_project(tmp_path, "typescript", code)
    did_first, _, did_second = raised.value.found.partition(", then ")
    assert "x 1" in did_first
    assert "x 2" in did_second or "x 3" in did_second


DEDUPING = {
    "typescript": """
        const seen = new Set<string>();
        export class Job extends WorkflowEntrypoint { async run() {} }
        export default { async fetch(request: Request, env: any) {
          if (!seen.has("order")) { seen.add("order"); await log({ key: "order" }); }
          return new Response("done");
        } };
        """,
    "python": """
        seen = set()
        class Job(WorkflowEntrypoint):
            async def run(self, event, step): pass
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                if "order" not in seen:
                    seen.add("order")
                    await log({"key": "order"})
                return Response("done")
        """,
}
CACHING = {
    "typescript": """
        let token = "";
        export class Job extends WorkflowEntrypoint {
          async run(event: any, step: any) {
            if (token === "") token = await step.do("log in", async () => "secret");
            await step.do("tell", async () => { await log({ key: token }); });
          }
        }
        export default { async fetch(request: Request, env: any) {
          await env.JOBS.create({ id: "j" });
          return new Response();
        } };
        """,
    "python": """
        token = ""
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                global token
                if not token:
                    @step.do("log in")
                    async def log_in():
                        return "secret"
                    token = await log_in()
                @step.do("tell")
                async def tell():
                    await log({"key": token})
                await tell()
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await self.env.JOBS.create({"id": "j"})
                return Response("")
        """,
}


@both
@pytest.mark.parametrize(
    ("code", "program", "first", "second"),
    [
        (DEDUPING, "fetch", "first Fetch POST", "then returned"),
        (CACHING, "Job", "log in", "tell"),
    ],
    ids=["dedupe set", "cached token"],
)
def test_a_warm_isolate_that_skips_an_effect_makes_a_worker_unfaithful(
    tmp_path: Path, language: str, code: dict[str, str], program: str, first: str, second: str
) -> None:
    # The recorded answers cannot even be given: what they answer is not asked any more.
    with pytest.raises(UnfaithfulError) as raised:
        check_project(tmp_path, language, code[language])
    assert raised.value.doing == f"evaluating {program} a second time with the same answers"
    assert "answered differently, in an isolate that had served before" in raised.value.found
    did_first, _, did_second = raised.value.found.partition(", then ")
    assert first in did_first
    assert second in f"then {did_second}"
    assert "module-level variables" in raised.value.remedy
    assert raised.value.place.startswith(f"worker.{'ts' if language == 'typescript' else 'py'}:")


def test_the_order_of_a_set_makes_a_worker_unfaithful(tmp_path: Path) -> None:
    with pytest.raises(UnfaithfulError) as raised:
        check_project(tmp_path, "python", SETS.replace("ORDER", "list"))
    assert raised.value.doing == "evaluating Job a second time with the same answers"
    assert "Fetch POST" in raised.value.found
    assert "set" in raised.value.remedy


def test_a_sorted_set_is_faithful(tmp_path: Path) -> None:
    verdict = check_project(tmp_path, "python", SETS.replace("ORDER", "sorted"))
    assert verdict.kind is VerdictKind.BOUNDED


DYNAMIC = """
    export class Job extends WorkflowEntrypoint { async run() {} }
    export default { async fetch(request: Request, env: any) {
      const module = await import("MODULE");
      await log({ key: USE });
      return new Response();
    } };
    """


@pytest.mark.parametrize(
    ("module", "use", "what"),
    [
        ("node:fs", 'module.readFileSync("x")', "readFileSync of node:fs"),
        ("node:fs/promises", 'module.default.readFile("x")', "readFile of node:fs/promises"),
        ("cloudflare:workers", "(module as any).cache", "cache of cloudflare:workers"),
    ],
)
def test_what_modules_lack_is_named_when_they_are_imported_late(
    tmp_path: Path, module: str, use: str, what: str
) -> None:
    code = DYNAMIC.replace("MODULE", module).replace("USE", use)
    with pytest.raises(UnmodelledError, match=f"it uses {what}, ") as raised:
        check_project(tmp_path, "typescript", code)
    assert raised.value.place.startswith(_line_of(tmp_path, "typescript", use) + ":")
