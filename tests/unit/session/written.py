"""A scenario in Python as text, and how a test varies and builds it without a child process."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

from eutaxy._base.scenario import Scenario
from eutaxy._session.build import build_scenario
from eutaxy._session.evaluate import ScenarioFile
from eutaxy._session.py.evaluate_scenario import scenarios_of
from eutaxy._session.source import Source

ORDERS = """\
from eutaxy.cloudflare import *
from eutaxy.cloudflare import at_most_once_per_key as once

scenario = define_scenario(
    name="orders",
    worker={"entry": "./worker.py", "config": "./wrangler.toml"},
    setup=[workflow("ORDERS", "OrderFlow")],
    drive=http([
        {"path": "/orders", "body": {"id": "o-1"}},
        {"path": "/orders"},
        {"url": "https://shop.example/x?y=1", "method": "put", "body": "hi", "after": "2 minutes"},
    ]),
    externals=[
        external(
            "bank",
            "bank.example",
            dedupe_by="Idempotency-Key",
            responses=[{"method": "POST", "path": "/pay", "status": 201, "body": {"ok": True}}],
        ),
        external("mail", "mail.example:8080"),
    ],
    invariants=[
        once("charged-once", fetch_call("bank", "post"), "args.body.id"),
        unique("one-run", workflow_rows("ORDERS"), "params.id"),
    ],
    bounds=bounds(max_faults_per_run=2, budget_ms=500),
    downtime="3 seconds",
)
"""


def build(folder: Path, text: str) -> Scenario:
    """Build the scenario that `text` defines, as if it were the file "sim/orders_sim.py"."""
    path = folder / "orders_sim.py"
    path.write_text(text, encoding="utf-8")
    for worker in ("worker.py", "worker.ts"):
        (folder / worker).touch()
    module = ModuleType("orders_sim")
    exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 - text of this test
    (declared,) = json.loads(json.dumps([*scenarios_of(module, [])]))
    file = ScenarioFile(path=path, shown="sim/orders_sim.py")
    return build_scenario(declared["scenario"], Source(file, is_python=True))


def line_of(text: str, part: str) -> int:
    """The line, from 1, on which `part` begins."""
    assert text.count(part) == 1, part
    return text.count("\n", 0, text.index(part)) + 1
