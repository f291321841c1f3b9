"""How deep a search gets: fixed examples and cases with more faults, redeliveries, concurrency.

Each row is one search in one process, in a budget of a minute; its seconds are those of the whole
check. A level that is not complete by then is shown with the level that is.
"""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

from eutaxy._base.verdict import Coverage, VerdictKind
from eutaxy._session.options import CheckOptions
from eutaxy._session.session import check

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
EXAMPLES = ROOT / "examples"
BUDGET_MS = 60_000
DEPTHS = ((2, 2, 1), (3, 2, 1), (2, 1, 2), (2, 1, 3))
"""Faults, redeliveries, invocations at a time."""


def scenarios() -> list[Path]:
    """The fixed scenarios of the examples and the cases."""
    found = [
        EXAMPLES / "workflow-approval" / "expenses.fixed.sim.ts",
        *sorted((EXAMPLES / "check-then-charge").glob("*fixed*sim*")),
    ]
    for folder in sorted(path.parent for path in CASES.glob("*/case.toml")):
        case = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        found += [folder / entry["scenario"] for entry in case["fixed"]]
    return list(dict.fromkeys(found))


def row(scenario: Path, faults: int, redeliveries: int, concurrent: int) -> str:
    """One search as a line of the table."""
    options = CheckOptions(
        max_faults=faults,
        max_redeliveries=redeliveries,
        max_concurrent=concurrent,
        budget_ms=BUDGET_MS,
    )
    start = time.perf_counter()
    verdict = check(str(scenario), options=options)
    took = time.perf_counter() - start
    name = f"{scenario.parent.name}/{scenario.name}"[-46:]
    depth = f"{faults} / {redeliveries} / {concurrent}"
    size = f"{verdict.coverage.worlds:>10,}{verdict.coverage.transitions:>12,}"
    return f"{name:48}{depth:12}{size}{took:>8.1f} s  {_ending(verdict.kind, verdict.coverage)}"


def _ending(kind: VerdictKind, coverage: Coverage) -> str:
    if kind is not VerdictKind.BOUNDED:
        return kind.name
    if coverage.is_whole:
        return "complete"
    assert coverage.complete is not None
    return f"complete up to {coverage.complete.faults} / {coverage.complete.redeliveries}"


if __name__ == "__main__":
    print(f"{'scenario':48}{'depth':12}{'worlds':>10}{'transitions':>12}{'seconds':>8}")
    for each in scenarios():
        for depth in DEPTHS:
            print(row(each, *depth), flush=True)
