"""The whole program on the examples: seconds of a check, and how seldom a host is asked.

Times are medians of whole processes, each compared with the start of the bare interpreters that
it cannot do without, measured in the same run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from eutaxy._hosts.node_trie import NodeTrie
from eutaxy._hosts.toolchain import find_node
from eutaxy._session import session
from eutaxy._session.options import CheckOptions

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "workflow-approval"
RUNS = 7
EXIT_CODES = {
    "expenses.sim.ts": 1,
    "expenses.fixed.sim.ts": 0,
    "python/expenses_sim.py": 1,
    "python/expenses_fixed_sim.py": 0,
}


def median_s(command: list[str], exit_code: int = 0) -> float:
    """The median of the seconds that a process takes, after one run that is not counted."""
    took = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        ended = subprocess.run(command, cwd=EXAMPLE, capture_output=True, check=False, timeout=120)
        took.append(time.perf_counter() - start)
        assert ended.returncode == exit_code, ended.stderr.decode()
    return statistics.median(took[1:])


def cold_start() -> None:
    """Print how long a check takes, beside the two interpreters doing nothing."""
    node = find_node().path
    bare = median_s([sys.executable, "-c", "0"]) + median_s([node, "-e", "0"])
    print(f"python -c 0, then node -e 0{bare:>22.2f} s")
    for scenario, exit_code in EXIT_CODES.items():
        took = median_s([sys.executable, "-m", "eutaxy", "check", f"./{scenario}"], exit_code)
        print(f"eutaxy check {scenario:30}{took:>6.2f} s{took / bare:>7.1f} times bare")


def host_share() -> None:
    """Print the steps of a deep check, and the questions about user code that reached the host."""
    tries: list[NodeTrie] = []

    class Kept(NodeTrie):
        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)  # type: ignore[arg-type]
            tries.append(self)

    session.NodeTrie = Kept  # type: ignore[misc]
    for scenario in (each for each, exit_code in EXIT_CODES.items() if exit_code == 0):
        tries.clear()
        options = CheckOptions(max_faults=3, max_concurrent=2)
        verdict = session.check(str(EXAMPLE / scenario), options=options)
        transitions = verdict.coverage.transitions
        asked = sum(each.asked_of_host for each in tries)
        questions = sum(each.questions for each in tries)
        print(
            f"{scenario:30}{transitions:>8} transitions{questions:>8} questions"
            f"{asked:>6} asked of the host ({asked / transitions:.2%} of transitions)"
        )


if __name__ == "__main__":
    cold_start()
    host_share()
