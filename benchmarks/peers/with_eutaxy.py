"""eutaxy on the race, without any host, and on the example of the README, as users run it.

The race is the toy with the closed formula: the place of each task is the whole state, since an
addition is lost exactly when two tasks stand between reading and writing at once (a test compares
this with the tasks that the other tools run: tests/oracles/test_peers_race.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from race import SHAPES, Clock, is_lost_at, tell

from eutaxy import __version__
from eutaxy._base.verdict import VerdictKind
from eutaxy._explore.count import count_complete
from eutaxy._explore.search import Limits, Search
from eutaxy._session.options import CheckOptions
from eutaxy._session.session import check
from eutaxy._world.component import Local
from eutaxy.testing import Counters
from eutaxy.testing.toys import Toy, _Counter

TOOL = f"eutaxy {__version__}"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"
DEPTHS = ((1, 2, 1), (2, 2, 2), (3, 2, 2))
"""Faults, redeliveries, invocations at a time."""


def search(tasks: int, effects: int, *, is_planted: bool) -> None:
    counters = Counters(counters=tasks, effects=effects)

    def is_lost(states: Sequence[Local]) -> bool:
        return is_lost_at([done for done, _ in states], effects)

    graph = counters.toy()
    if is_planted:
        one = _Counter(counters)
        graph = Toy({("task", str(number)): one for number in range(tasks)}, is_bad=is_lost)
    clock = Clock()
    found = Search(graph, Limits(0, 0, stops_at_bad=is_planted)).run()
    schedules = None
    if not is_planted:
        assert found.complete is not None
        (schedules,) = count_complete(found.graph, found.complete, 0)
    took = clock()
    assert is_planted or schedules == counters.schedules(0)
    tell(
        tool=TOOL,
        shape=[tasks, effects],
        planted=is_planted,
        found=bool(found.bad),
        schedules=schedules,
        distinct=schedules,
        exhaustive=found.is_whole,
        seconds=took,
        note=f"{found.worlds:,} worlds, {found.transitions:,} transitions",
    )


def example(faults: int, redeliveries: int, concurrent: int) -> None:
    options = CheckOptions(
        max_faults=faults,
        max_redeliveries=redeliveries,
        max_concurrent=concurrent,
        budget_ms=60_000,
    )
    clock = Clock()
    verdict = check(str(EXAMPLE / "expenses.fixed.sim.ts"), options=options)
    took = clock()
    covered = verdict.coverage
    assert verdict.kind is VerdictKind.BOUNDED
    tell(
        tool=TOOL,
        shape=None,
        planted=False,
        found=False,
        schedules=sum(covered.schedules),
        distinct=sum(covered.schedules),
        exhaustive=covered.is_whole,
        seconds=took,
        note=f"faults {faults}, redeliveries {redeliveries}, at a time {concurrent}: "
        f"{covered.worlds:,} worlds, start of Node included",
    )


for shape in SHAPES:
    search(*shape, is_planted=True)
    search(*shape, is_planted=False)
for depth in DEPTHS:
    example(*depth)
