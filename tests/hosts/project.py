"""Projects of a few lines, one in each language, for checks from the scenario to the verdict."""

from __future__ import annotations

import textwrap
from pathlib import Path

from eutaxy._base.record import Record
from eutaxy._base.verdict import Verdict
from eutaxy._session.hosts import open_host
from eutaxy._session.load import load_scenario
from eutaxy._session.options import CheckOptions
from eutaxy._session.session import _checker, check

LANGUAGES = ("typescript", "python")

CONFIG = """
{
  "name": "jobs",
  "main": "./%s",
  "compatibility_date": "2026-10-01",
  "compatibility_flags": [%s],
  "workflows": [{ "binding": "JOBS", "name": "jobs", "class_name": "Job" }],
}
"""
TS_SCENARIO = """
import { atMostOncePerKey, defineScenario, external, fetchCall, http, workflow } from "eutaxy/cloudflare";
export default defineScenario({
  name: "jobs",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  setup: [workflow("JOBS", "Job")],
  drive: http([{ path: "/", method: "POST", body: {} }]),
  externals: [external("log", "log.example", { responses: [{ method: "POST", path: "/", status: 200, body: {} }] })],
  invariants: [atMostOncePerKey("any", fetchCall("log", "POST"), "args.body.key")],
  bounds: { maxFaultsPerRun: 0, maxRedeliveries: 0, maxConcurrentInvocations: 2, budgetMs: 60000 },
});
"""
PY_SCENARIO = """
from eutaxy.cloudflare import (
    at_most_once_per_key, bounds, define_scenario, external, fetch_call, http, workflow,
)
scenario = define_scenario(
    name="jobs",
    worker={"entry": "./worker.py", "config": "./wrangler.jsonc"},
    setup=[workflow("JOBS", "Job")],
    drive=http([{"path": "/", "method": "POST", "body": {}}]),
    externals=[external("log", "log.example", responses=[
        {"method": "POST", "path": "/", "status": 200, "body": {}}])],
    invariants=[at_most_once_per_key("any", fetch_call("log", "POST"), "args.body.key")],
    bounds=bounds(
        max_faults_per_run=0, max_redeliveries=0, max_concurrent_invocations=2, budget_ms=60000),
)
"""

TS_HEAD = """\
import { WorkflowEntrypoint } from "cloudflare:workers";
const log = (body: unknown) =>
  fetch("https://log.example/", { method: "POST", body: JSON.stringify(body) });
"""
PY_HEAD = """\
import json
from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch
async def log(body):
    await fetch("https://log.example/", method="POST", body=json.dumps(body))
"""


def write_project(folder: Path, language: str, code: str) -> str:
    """Write a project whose Worker is `code` after a head that imports and defines `log`.

    Returns:
        The path of its scenario.
    """
    is_python = language == "python"
    main = "worker.py" if is_python else "worker.ts"
    scenario = "jobs_sim.py" if is_python else "jobs.sim.ts"
    flags = '"python_workers"' if is_python else '"nodejs_compat"'
    (folder / "wrangler.jsonc").write_text(CONFIG % (main, flags), encoding="utf-8")
    (folder / main).write_text(
        (PY_HEAD if is_python else TS_HEAD) + textwrap.dedent(code), encoding="utf-8"
    )
    (folder / scenario).write_text(PY_SCENARIO if is_python else TS_SCENARIO, encoding="utf-8")
    return str(folder / scenario)


def check_project(folder: Path, language: str, code: str) -> Verdict:
    """Check such a project."""
    return check(write_project(folder, language, code))


def fault_free_records(folder: Path, language: str, code: str) -> tuple[Record, ...]:
    """What happens in such a project when nothing goes wrong."""
    loaded = load_scenario(write_project(folder, language, code))
    with open_host(loaded) as host:
        checker = _checker(loaded.scenario, loaded, host, CheckOptions())
        trace = checker.with_reads(lambda: checker.run_without_faults(checker.model()))
    return tuple(trace.records)
