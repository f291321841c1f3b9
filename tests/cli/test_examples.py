"""The examples give the verdicts that their READMEs tell, in both languages and all combinations."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.scripted import Ended, Run

pytestmark = pytest.mark.host

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# The language of the scenario, then that of the Worker.
COMBINATIONS = [
    ("typescript", "typescript"),
    ("typescript", "python"),
    ("python", "typescript"),
    ("python", "python"),
]
FOLDERS = {"typescript": ".", "python": "python"}

PAID_TWICE_BY_A_CRASH = """\
VIOLATED  expenses  (seed expenses)

Invariant paid-once is violated: Fetch:payouts POST happened twice for key "exp-1" (seq 15 and 22)

Schedule (run seed TOKEN), events kept: req-1, req-2
  crash_after at workflow:APPROVALS:exp-1#1 effect #3 (Workflow:APPROVALS step_result)

Certificate: no schedule with fewer faults fails
Not printed: OTHERS (--all shows them)
Replay: eutaxy replay FILE TOKEN
"""

PAID_TWICE_BY_A_LOST_ANSWER = """\
VIOLATED  expenses  (seed example)

Invariant paid-once is violated: Fetch:payouts POST happened twice for key "exp-1" (seq 15 and 20)

Schedule (run seed TOKEN), events kept: req-1, req-2
  answer_lost at workflow:APPROVALS:exp-1#1 effect #2 (Fetch:payouts POST)

Certificate: no schedule with fewer faults fails
Not printed: OTHERS (--all shows them)
Replay: eutaxy replay FILE TOKEN
"""

CHARGED_TWICE_BY_A_LATE_ANSWER = (
    "  answer_late at workflow:ORDERS:ord-1#0 effect #2 (Fetch:payments GET)\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Copy the examples to where nothing else is, so that they are seen to need nothing else."""
    shutil.copytree(
        EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("node_modules", "*.md")
    )
    return tmp_path / "examples"


def scenario_file(folder: Path, stem: str, scenario: str, worker: str) -> Path:
    """Make a scenario in one language over the Worker in the other, where they differ."""
    is_python = scenario == "python"
    fixed = stem.endswith("_fixed")
    name = f"{stem}_sim.py" if is_python else f"{stem.replace('_fixed', '.fixed')}.sim.ts"
    path = folder / FOLDERS[scenario] / name
    if scenario == worker:
        return path
    entry = ("worker_fixed.py" if fixed else "worker.py") if worker == "python" else None
    entry = entry or ("worker.fixed.ts" if fixed else "worker.ts")
    there = "./python" if worker == "python" else ".."
    text = path.read_text(encoding="utf-8")
    for old, new in (
        (r"\./worker[\w.]*", f"{there}/{entry}"),
        (r"\./wrangler", f"{there}/wrangler"),
    ):
        text, count = re.subn(rf'"{old}', f'"{new}', text)
        assert count == 1
    path.write_text(text, encoding="utf-8")
    return path


def normalised(ended: Ended, path: Path) -> str:
    """The report without what may differ between languages: token, path, number of siblings."""
    assert ended.err == ""
    text = ended.out.replace(str(path), "FILE")
    text = re.sub(r"\be1-[a-z2-7]+", "TOKEN", text)
    return re.sub(r"\d+ other minimal violations", "OTHERS", text)


@pytest.mark.parametrize(("scenario", "worker"), COMBINATIONS)
class TestWorkflowApproval:
    def test_a_crash_pays_twice(
        self, project: Path, eutaxy: Run, scenario: str, worker: str
    ) -> None:
        path = scenario_file(project / "workflow-approval", "expenses", scenario, worker)
        ended = eutaxy("check", str(path))
        assert ended.code == 1
        assert normalised(ended, path) == PAID_TWICE_BY_A_CRASH

    def test_a_lost_answer_pays_twice(
        self, project: Path, eutaxy: Run, scenario: str, worker: str
    ) -> None:
        path = scenario_file(project / "workflow-approval", "expenses", scenario, worker)
        ended = eutaxy("check", str(path), "--seed", "example")
        assert ended.code == 1
        assert normalised(ended, path) == PAID_TWICE_BY_A_LOST_ANSWER

    def test_the_token_replays(
        self, project: Path, eutaxy: Run, scenario: str, worker: str
    ) -> None:
        path = scenario_file(project / "workflow-approval", "expenses", scenario, worker)
        verdict = json.loads(eutaxy("check", str(path), "--json").out)
        (violation,) = verdict["violations"]
        ended = eutaxy("replay", str(path), violation["token"])
        assert ended.code == 1
        last = ended.out.splitlines()[-1]
        assert last == f"Invariant paid-once is violated: {violation['claim']}"


def test_the_corrected_approval_is_bounded_and_equal_in_all_combinations(
    project: Path, tmp_path: Path, eutaxy: Run
) -> None:
    reports: dict[str, str] = {}
    for scenario, worker in COMBINATIONS:
        folder = tmp_path / f"{scenario}-{worker}"
        shutil.copytree(project / "workflow-approval", folder)
        path = scenario_file(folder, "expenses_fixed", scenario, worker)
        ended = eutaxy("check", str(path), "--strict", "--budget", "60000")
        assert ended.code == 0
        assert ended.out.startswith("BOUNDED  expenses  (seed expenses)\n")
        assert "Complete level  at most 1 fault, 2 redeliveries (all of the bounds)" in ended.out
        reports[f"{scenario} over {worker}"] = ended.out
    # The same schedules and the same worlds, whatever the languages.
    assert len(set(reports.values())) == 1, reports


@pytest.mark.parametrize("language", ["typescript", "python"])
class TestCheckThenCharge:
    def test_a_late_answer_charges_twice(self, project: Path, eutaxy: Run, language: str) -> None:
        path = scenario_file(project / "check-then-charge", "charge", language, language)
        ended = eutaxy("check", str(path))
        assert ended.code == 1
        assert CHARGED_TWICE_BY_A_LATE_ANSWER in ended.out

    def test_asking_again_repairs_every_crash_and_every_loss(
        self, project: Path, eutaxy: Run, language: str
    ) -> None:
        path = scenario_file(project / "check-then-charge", "charge", language, language)
        verdict = json.loads(eutaxy("check", str(path), "--all", "--json").out)
        faults = [mark["fault"] for each in verdict["violations"] for mark in each["faults"]]
        # What is left are requests and answers that arrive when the next attempt has asked.
        assert sorted(faults) == ["answer_late", "crash_in_flight"]

    def test_the_corrected_one_is_bounded(self, project: Path, eutaxy: Run, language: str) -> None:
        path = scenario_file(project / "check-then-charge", "charge_fixed", language, language)
        ended = eutaxy("check", str(path), "--strict", "--budget", "60000")
        assert ended.code == 0
        assert "Complete level  at most 2 faults, 1 redelivery (all of the bounds)" in ended.out


@pytest.mark.parametrize("name", ["workflow-approval", "check-then-charge"])
def test_the_package_of_an_example_names_files_that_are_there(name: str) -> None:
    folder = EXAMPLES / name
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    link = package["devDependencies"]["eutaxy"]
    assert (folder / link.removeprefix("link:") / "package.json").is_file()
    for script in ("check", "check:fixed"):
        command, verb, scenario = package["scripts"][script].split()
        assert (command, verb) == ("eutaxy", "check")
        assert (folder / scenario).is_file()
