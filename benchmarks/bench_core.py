"""The core without any host: worlds, transitions a second, bytes a world, schedules covered.

Each row runs in a process of its own, so that memory can be told. Run it with `make bench`, or by
itself: python benchmarks/bench_core.py [part of a row's name].
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eutaxy._base.fault import Fault
from eutaxy._explore.count import count_complete
from eutaxy._explore.graph import Explorable
from eutaxy._explore.search import Limits, Search
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy.testing import Counters, scripted
from tests.planted import expenses

KINDS = (Fault.CRASH_AFTER, Fault.REQUEST_LOST, Fault.ANSWER_LOST, Fault.ANSWER_LATE)
MERGED = Counters(counters=2, effects=20, kinds=KINDS)
REMEMBERING = Counters(counters=2, effects=20, kinds=KINDS, is_remembering=True)


@dataclass(frozen=True)
class Row:
    """One measurement.

    Args:
        name: As printed.
        make: Makes the graph.
        limits: How far it is searched.
        formula: Schedules by number of faults, where a closed formula tells.
    """

    name: str
    make: Callable[[], Explorable]
    limits: Limits
    formula: Callable[[int], int] | None = None


def _expenses(
    *, faults: int, redeliveries: int, concurrent: int, count: int = 1, is_fixed: bool = True
) -> Model:
    scenario = expenses.scenario(
        faults=faults, redeliveries=redeliveries, concurrent=concurrent, expenses=count
    )
    return Model(scenario, scripted(**expenses.programs(is_fixed=is_fixed))(), Engine())


ROWS = (
    Row("toy 2 x 20, 4 kinds of fault", MERGED.toy, Limits(3, 0), MERGED.schedules),
    Row("toy 2 x 20 that remembers faults", REMEMBERING.toy, Limits(3, 0), REMEMBERING.schedules),
    Row(
        "planted, first violation",
        lambda: _expenses(faults=1, redeliveries=2, concurrent=1, is_fixed=False),
        Limits(1, 2),
    ),
    Row(
        "fixed, concurrency 1",
        lambda: _expenses(faults=3, redeliveries=2, concurrent=1),
        Limits(3, 2),
    ),
    Row(
        "fixed, concurrency 2",
        lambda: _expenses(faults=3, redeliveries=2, concurrent=2),
        Limits(3, 2),
    ),
    Row(
        "two fixed expenses, concurrency 2",
        lambda: _expenses(faults=2, redeliveries=0, concurrent=2, count=2),
        Limits(2, 0),
    ),
    Row(
        "the same, 2 redeliveries",
        lambda: _expenses(faults=2, redeliveries=2, concurrent=2, count=2),
        Limits(2, 2),
    ),
)


def measure(number: int) -> None:
    """Run one row and print it."""
    row = ROWS[number]
    graph = row.make()
    gc.collect()
    before, start = _resident(), time.perf_counter()
    found = Search(graph, row.limits).run()
    searched = time.perf_counter()
    after = _resident()
    worlds = len(found.graph.worlds)
    shown = ""
    if found.complete is not None:
        counts = count_complete(found.graph, found.complete, row.limits.redeliveries_max)
        shown = ", ".join(f"{count:.3g}" if count > 10**7 else str(count) for count in counts)
        if row.formula is not None:
            assert counts == tuple(row.formula(faults) for faults in range(len(counts)))
    counted = time.perf_counter() - searched
    took = searched - start
    memory = f"{(after - before) / worlds:.0f}" if worlds > 10_000 else "-"
    bounds = f"{row.limits.faults_max}/{row.limits.redeliveries_max}"
    print(
        f"{row.name:36}{bounds:>6}{worlds:>9}{found.transitions:>10}{took:>8.2f}"
        f"{found.transitions / took:>10.0f}{counted:>7.2f}{memory:>7}  {shown}"
    )


def _resident() -> int:
    """Memory of this process in bytes; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return 0
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Measure all rows, or those with the given words in their names."""
    words = " ".join(sys.argv[1:])
    print(
        f"{'':36}{'f/r':>6}{'worlds':>9}{'steps':>10}{'s':>8}{'steps/s':>10}{'count':>7}"
        f"{'B/world':>7}  schedules by faults"
    )
    context = multiprocessing.get_context("spawn")
    for number, row in enumerate(ROWS):
        if words in row.name:
            process = context.Process(target=measure, args=(number,))
            process.start()
            process.join()
            if process.exitcode:
                sys.exit(process.exitcode)


if __name__ == "__main__":
    main()
