"""How the cost of a search grows with steps, faults, redeliveries, concurrency and driver events.

Each group changes one number of the same fixed example (1 expense, 1 step, 1 fault, 1 redelivery,
1 invocation at a time) and leaves the others. No host is asked, no reduction leaves anything out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eutaxy._explore.count import count_complete
from eutaxy._explore.search import Limits, Search
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy._session.workers.collection import no_collection
from eutaxy.testing import fetch, scripted, step, wait
from tests.planted import expenses


@dataclass(frozen=True)
class Size:
    """What is varied.

    Args:
        steps: Steps after the decision, one after another, each with one request to the outside.
        faults: Most faults.
        redeliveries: Most redeliveries.
        concurrent: Most invocations at a time.
        expenses: Expenses, each with two driver events and one instance.
    """

    steps: int = 1
    faults: int = 1
    redeliveries: int = 1
    concurrent: int = 1
    expenses: int = 1


BASE = Size()
GROUPS: dict[str, tuple[int, ...]] = {
    "steps": (1, 2, 4, 8, 16, 32),
    "faults": (0, 1, 2, 3, 4, 5),
    "redeliveries": (0, 1, 2, 3),
    "concurrent": (1, 2, 3),
    "expenses": (1, 2, 3),
}


def model(size: Size) -> Model:
    """The example of that size."""

    def pay(key: str) -> Iterator[object]:
        headers = {"idempotency-key": key}
        yield fetch("POST", "https://payouts.example/payouts", {"expenseId": key}, headers)

    def approve(event: dict[str, dict[str, str]]) -> Iterator[object]:
        expense = event["payload"]["expenseId"]
        yield wait("manager decision", type="decision", timeout="7 days")
        for number in range(size.steps):
            key = f"{expense}:{number}"
            yield step(f"pay out {number}", lambda _, key=key: pay(key))

    scenario = expenses.scenario(
        faults=size.faults,
        redeliveries=size.redeliveries,
        concurrent=size.concurrent,
        expenses=size.expenses,
    )
    programs = {**expenses.programs(is_fixed=True), "ExpenseApproval": approve}
    return Model(scenario, scripted(**programs)(), Engine())


def measure(name: str, size: Size) -> None:
    """Search one size and print it."""
    limits = Limits(size.faults, size.redeliveries)
    graph = model(size)
    start = time.perf_counter()
    with no_collection():
        found = Search(graph, limits).run()
    took = time.perf_counter() - start
    assert found.is_whole
    assert found.complete is not None
    schedules = sum(count_complete(found.graph, found.complete, size.redeliveries))
    shown = f"{schedules:.2e}" if schedules >= 10**7 else f"{schedules:,}"
    print(f"{name:20}{found.worlds:>12,}{found.transitions:>12,}{took:>9.2f}  {shown}", flush=True)


def main() -> None:
    """Measure all sizes."""
    print(f"{'':20}{'worlds':>12}{'transitions':>12}{'seconds':>9}  schedules")
    for group, numbers in GROUPS.items():
        for number in numbers:
            measure(f"{group} {number}", replace(BASE, **{group: number}))


if __name__ == "__main__":
    main()
