"""A program that checks as a library: nothing of it runs twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host

EXAMPLE = Path(__file__).parents[2] / "examples" / "workflow-approval"

PROGRAM = f"""
from eutaxy._session.options import CheckOptions
from eutaxy._session.session import check

print("begun")
scenario = {str(EXAMPLE / "expenses.fixed.sim.ts")!r}
# Long enough for a search that may use other processes to use them.
options = CheckOptions(max_faults=4, max_redeliveries=3, max_concurrent=2, budget_ms=6000)
print(check(scenario, options=options).kind.name)
"""


def test_a_program_without_a_guard_runs_once(tmp_path: Path) -> None:
    """Spawned processes would import it again."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.split() == ["begun", "BOUNDED"]
    assert done.stderr == ""
