"""Prints what checks of scripted Workers say, to be compared between processes."""

from __future__ import annotations

import sys

from eutaxy._base.scenario import Scenario
from tests.oracles.workers import WORKERS
from tests.planted import expenses
from tests.planted.cases import CASES
from tests.planted.checking import Programs, check


def tell(*told: object) -> None:
    """Print one line."""
    sys.stdout.write(" ".join(str(each) for each in told) + "\n")


def show(name: str, programs: Programs, scenario: Scenario) -> None:
    """Print a whole verdict, with all traces."""
    for seed in (None, "example"):
        verdict = check(programs, scenario, seed=seed, is_all=True, is_explaining=True)
        tell(name, seed, verdict.kind.value, verdict.coverage, verdict.reasons, verdict.vacuous)
        for violation in verdict.violations:
            tell(violation.invariant, violation.claim, violation.token, violation.others)
            tell(violation.kept, violation.redelivered, violation.certificate)
            tell(violation.cause, violation.explanation)
            for mark in violation.faults:
                tell(mark)
            for record in violation.trace:
                tell(record)


def main() -> None:
    """Print everything."""
    for is_fixed in (False, True):
        for concurrent in (1, 2):
            scenario = expenses.scenario(faults=1, redeliveries=1, concurrent=concurrent)
            show("expenses", expenses.programs(is_fixed=is_fixed), scenario)
    for name, case in CASES.items():
        show(name, case.planted, case.scenario)
        show(name, case.fixed, case.scenario)
    for name, worker in WORKERS.items():
        if "expenses" not in name and "fail" not in name:
            show(name, worker.programs, worker.scenario)


if __name__ == "__main__":
    main()
