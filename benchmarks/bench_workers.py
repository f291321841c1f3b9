"""What further processes gain on one large search, from its first world to its counted schedules.

The same search by one process and by several, in turns, since the machine may be busy otherwise:
compare the two numbers of one line. The second ratio leaves out waiting, for other processes of the
machine and for one another: processor seconds of one process, against those of the busiest one plus
those of the reporting one. Run it with `make bench`, or by itself:
python benchmarks/bench_workers.py [processes] [turns].
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eutaxy._base.functions import NoFunctions
from eutaxy._explore.count import count_found
from eutaxy._explore.search import Limits, Search
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy._session.workers.collection import no_collection
from eutaxy._session.workers.cores import usable_cores
from eutaxy._session.workers.processes import Processes
from eutaxy._session.workers.together import Together
from eutaxy.testing import scripted
from tests.planted import expenses

LIMITS = Limits(3, 2)
SCENARIO = expenses.scenario(faults=3, redeliveries=2, concurrent=2, expenses=2)


class Timed(Together):
    """Tells what its processes have spent when they end."""

    busiest_s = 0.0

    def close(self) -> None:
        crew = self._crew
        if crew is not None:
            spent = [crew.executor(each).submit(time.process_time) for each in range(crew.count)]
            self.busiest_s = max(each.result() for each in spent)
        super().close()


def alone() -> tuple[float, float, object]:
    """Seconds, processor seconds and result of one process."""
    model = Model(SCENARIO, scripted(**expenses.programs(is_fixed=True))(), Engine())
    wall, cpu = time.perf_counter(), time.process_time()
    with no_collection():
        found = Search(model, LIMITS).run()
        told = (found.worlds, found.transitions, count_found(found))
    return time.perf_counter() - wall, time.process_time() - cpu, told


def together(count: int) -> tuple[float, float, object]:
    """Seconds, processor seconds and result of several processes, their start included."""
    code = scripted(**expenses.programs(is_fixed=True))()
    model = Model(SCENARIO, code, Engine())
    wall, cpu = time.perf_counter(), time.process_time()
    group = Timed(lambda: Processes(count), NoFunctions())
    found = group.search(model, code, frozenset(), LIMITS, lambda _: False)
    told = (found.worlds, found.transitions, count_found(found))
    took = time.perf_counter() - wall
    group.close()
    return took, time.process_time() - cpu + group.busiest_s, told


def main() -> None:
    """Measure and print one line for each turn."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else min(2, usable_cores())
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"{'':24}{'alone':>9}{f'{count} procs':>9}{'times':>7}{'processor':>11}{'times':>13}")
    for _ in range(turns):
        one, several = alone(), together(count)
        gc.collect()
        assert one[2] == several[2]
        print(
            f"{'two fixed expenses, 3/2':24}{one[0]:>8.1f}s{several[0]:>8.1f}s"
            f"{one[0] / several[0]:>7.2f}{one[1]:>9.1f}s /{several[1]:>5.1f}s"
            f"{one[1] / several[1]:>6.2f}"
        )


if __name__ == "__main__":
    main()
