"""What hosts tell, seen from the outside: whole checks of Workers in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eutaxy._base.record import Record, RecordKind
from eutaxy._base.verdict import VerdictKind
from eutaxy.errors import HostError, ScenarioError, UnfaithfulError
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
