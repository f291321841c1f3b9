"""Whether Worker, wrangler config and scenario fit together, and what a host is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._base.scenario import Scenario
from eutaxy._session.worker import Language, Worker, bindings, check_exports, check_setup
from eutaxy._session.wrangler import WranglerConfig, read_wrangler
from eutaxy.errors import ScenarioError
from tests.unit.session.written import ORDERS, build

CONFIG = """\
{
  "name": "shop",
  "workflows": [
    { "name": "order-flow", "binding": "ORDERS", "class_name": "OrderFlow" },
    { "name": "refund-flow", "binding": "REFUNDS", "class_name": "RefundFlow" }
  ],
  "kv_namespaces": [{ "binding": "SESSIONS", "id": "x" }],
  "vars": { "LIMIT": 5.0, "WHO": "é" }
}
"""


def _config(folder: Path, text: str = CONFIG) -> WranglerConfig:
    (folder / "wrangler.json").write_text(text, encoding="utf-8")
    return read_wrangler(folder / "wrangler.json", "sim/wrangler.json")


def _scenario(folder: Path, setup: str = 'workflow("ORDERS", "OrderFlow")') -> Scenario:
    text = ORDERS.replace('workflow("ORDERS", "OrderFlow")', setup)
    return build(
        folder, text.replace('unique("one-run", workflow_rows("ORDERS"), "params.id"),', "")
    )


def test_bindings(tmp_path: Path) -> None:
    assert bindings(_scenario(tmp_path), _config(tmp_path)) == {
        "ORDERS": {"type": "workflow", "name": "order-flow", "class": "OrderFlow"},
        "REFUNDS": {
            "type": "unmodelled",
            "what": "a workflow that the scenario's setup does not name:",
        },
        "LIMIT": {"type": "value", "value": "5"},
        "WHO": {"type": "value", "value": '"é"'},
        "SESSIONS": {"type": "unmodelled", "what": "kv_namespaces"},
    }


def test_a_setup_that_fits(tmp_path: Path) -> None:
    check_setup(_scenario(tmp_path), _config(tmp_path))
    own = CONFIG.replace('"OrderFlow" }', '"OrderFlow", "script_name": "shop" }')
    check_setup(_scenario(tmp_path), _config(tmp_path, own))


@pytest.mark.parametrize(
    ("setup", "config", "says", "advises"),
    [
        (
            'workflow("ORDER", "OrderFlow")',
            CONFIG,
            "no workflow with the binding ORDER (did you mean `ORDERS`?)",
            "ORDERS, REFUNDS",
        ),
        (
            'workflow("ORDERS", "OrderFlaw")',
            CONFIG,
            "sim/wrangler.json:4 says that ORDERS runs the class OrderFlow, but the scenario says OrderFlaw",
            'workflow("ORDERS", "OrderFlow")',
        ),
        (
            'workflow("SESSIONS", "X")',
            CONFIG,
            "sim/wrangler.json:7 declares SESSIONS under kv_namespaces",
            "binding of `workflows`",
        ),
        (
            'workflow("ORDERS", "OrderFlow")',
            '{"env": {"dev": {}}}',
            "sim/wrangler.json declares no workflows",
            "with --env: dev",
        ),
        (
            'workflow("ORDERS", "OrderFlow")',
            "{}",
            "declares no workflows",
            '"binding": "ORDERS", "class_name": "OrderFlow"',
        ),
        (
            'workflow("ORDERS", "OrderFlow")',
            CONFIG.replace('"OrderFlow" }', '"OrderFlow", "script_name": "far" }'),
            "in another Worker, far (sim/wrangler.json:4)",
            "not modelled",
        ),
    ],
)
def test_a_setup_that_does_not_fit(
    tmp_path: Path, setup: str, config: str, says: str, advises: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        check_setup(_scenario(tmp_path, setup), _config(tmp_path, config))
    assert says in caught.value.found
    assert advises in caught.value.remedy
    assert caught.value.place == "sim/orders_sim.py:7:12"


def _worker() -> Worker:
    return Worker(
        language=Language.PYTHON,
        entry="/app/worker.py",
        shown="sim/worker.py",
        code="/app/worker.py",
        source_map=None,
        root="/app",
        env={"A": {"type": "value", "value": "1"}},
        flags=("python_workers",),
        date="2026-10-01",
    )


def test_exports_that_fit(tmp_path: Path) -> None:
    scenario = _scenario(tmp_path)
    classes = {"OrderFlow": "workflow", "Other": "object"}
    check_exports(scenario, _worker(), handlers=["fetch"], classes=classes)


@pytest.mark.parametrize(
    ("handlers", "classes", "says", "place"),
    [
        (["fetch"], {"OrderFlaw": "workflow"}, "no class OrderFlow (did you mean `OrderFlaw`?)", 7),
        (["fetch"], {"OrderFlow": "object"}, "does not extend WorkflowEntrypoint", 7),
        (["scheduled"], {"OrderFlow": "workflow"}, "no fetch handler", 9),
    ],
)
def test_exports_that_do_not_fit(
    tmp_path: Path, handlers: list[str], classes: dict[str, str], says: str, place: int
) -> None:
    with pytest.raises(ScenarioError) as caught:
        check_exports(_scenario(tmp_path), _worker(), handlers=handlers, classes=classes)
    assert says in caught.value.found
    assert caught.value.place.startswith(f"sim/orders_sim.py:{place}:")
    assert caught.value.doing == "loading the Worker sim/worker.py"
