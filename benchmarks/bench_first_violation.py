"""How early the first violation is met: every planted case, and the planted examples.

The search goes first in, first out inside a level, and finishes the level of the first violation.
Beside the transitions until the first bad world is taken up stand those of the whole search, those
that last in, first out would need, and the length of the way to that world: no order inside a level
can need fewer.
"""

from __future__ import annotations

import statistics
import tomllib
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from eutaxy._base.verdict import VerdictKind
from eutaxy._explore.graph import WorldId
from eutaxy._explore.search import Search
from eutaxy._session import checker
from eutaxy._session.options import CheckOptions
from eutaxy._session.session import check

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
EXAMPLES = (
    ROOT / "examples" / "workflow-approval" / "expenses.sim.ts",
    ROOT / "examples" / "check-then-charge" / "charge.sim.ts",
)
BUDGET_MS = 60_000


@dataclass
class Met:
    """What one check needed: transitions to the first bad world and in all, and the way to it."""

    first: list[int] = field(default_factory=list)
    whole: int = 0
    way: int = 0


class LastFirst(deque[WorldId]):
    """A queue that gives what came last."""

    def popleft(self) -> WorldId:
        return self.pop()


def noting(met: Met, *, is_last_first: bool) -> type[Search]:
    """A search that notes when it meets something bad."""

    class Noting(Search):
        def _queue(self, faults: int, redeliveries: int) -> deque[WorldId]:
            new = LastFirst() if is_last_first else deque[WorldId]()
            return self._queues.setdefault((faults, redeliveries), new)

        def _meet_bad(self, world: WorldId) -> None:
            if not self.found.bad:
                met.first.append(self.found.transitions)
                met.way = len(self.found.graph.path_to(world))
            super()._meet_bad(world)

    return Noting


def measure(scenario: Path, profile: str | None, *, is_last_first: bool) -> Met:
    """Check one scenario."""
    met = Met()
    original = checker.Search
    checker.Search = noting(met, is_last_first=is_last_first)  # type: ignore[misc]
    try:
        options = CheckOptions(budget_ms=BUDGET_MS, profile=profile, workers=1)
        verdict = check(str(scenario), options=options)
    finally:
        checker.Search = original  # type: ignore[misc]
    assert verdict.kind is VerdictKind.VIOLATED, scenario
    met.whole = verdict.coverage.transitions
    return met


def planted() -> list[tuple[Path, str | None]]:
    """The planted scenarios, each with its profile."""
    found: list[tuple[Path, str | None]] = [(path, None) for path in EXAMPLES]
    for folder in sorted(path.parent for path in CASES.glob("*/case.toml")):
        case = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        found += [(folder / entry["scenario"], entry.get("profile")) for entry in case["planted"]]
    return found


def main() -> None:
    """Measure all and print the medians."""
    columns = f"{'first':>8}{'whole':>9}{'last first':>12}{'way':>6}"
    print(f"{'transitions until the first violation':56}{columns}")
    rows = []
    for scenario, profile in planted():
        as_is = measure(scenario, profile, is_last_first=False)
        deep = measure(scenario, profile, is_last_first=True)
        # The last search of a check is the one that it reports.
        row = (as_is.first[-1], as_is.whole, deep.first[-1], as_is.way)
        rows.append(row)
        name = f"{scenario.parent.name}/{scenario.name}{f' ({profile})' if profile else ''}"[-54:]
        print(f"{name:56}{row[0]:>8,}{row[1]:>9,}{row[2]:>12,}{row[3]:>6}", flush=True)
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    print(
        f"{f'median of {len(rows)}':56}{medians[0]:>8,.0f}{medians[1]:>9,.0f}"
        f"{medians[2]:>12,.0f}{medians[3]:>6.0f}"
    )


if __name__ == "__main__":
    main()
