"""Saved schedules, as the whole program keeps, tries and reports them."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.scripted import Ended

pytestmark = pytest.mark.host

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"


@dataclass(frozen=True)
class Project:
    """A copy of the example in one language, to be edited."""

    folder: Path
    scenario: str
    worker: str

    def check(self, *arguments: str, ci: str = "") -> Ended:
        ended = subprocess.run(
            [sys.executable, "-m", "eutaxy", "check", self.scenario, *arguments],
            cwd=self.folder,
            env={**os.environ, "EUTAXY_SAVE": "", "CI": ci},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)

    @property
    def saved(self) -> list[Path]:
        return sorted((self.folder / ".eutaxy").rglob("*.json"))

    def edit(self, pattern: str, by: str, *, count: int = 0) -> None:
        path = self.folder / self.worker
        before = path.read_text()
        after = re.sub(pattern, by, before, count=count)
        assert after != before
        path.write_text(after)


@pytest.fixture(params=["ts", "py"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    source = EXAMPLES if request.param == "ts" else EXAMPLES / "python"
    shutil.copytree(source, tmp_path / "p", ignore=shutil.ignore_patterns("node_modules"))
    if request.param == "ts":
        return Project(tmp_path / "p", "expenses.sim.ts", "worker.ts")
    return Project(tmp_path / "p", "expenses_sim.py", "worker.py")


def split(out: str) -> tuple[str, list[str]]:
    """A report without what it says of regressions; and that."""
    lines = out.splitlines()
    told = [line for line in lines if line.startswith("Regression ")]
    return "\n".join(line for line in lines if line not in told).rstrip(), told


def test_what_is_found_is_saved_once_and_tried_again(project: Project) -> None:
    first = project.check("--save")
    (path,) = project.saved
    shown = path.relative_to(project.folder)
    assert shown.parent == Path(".eutaxy", project.scenario)
    assert shown.name.startswith("paid-once.crash_after-")
    assert first.err == f"Saved {shown}: commit it, and the next check tries it first\n"
    kept = path.read_bytes()

    second = project.check("--save")
    report, told = split(second.out)
    assert report == first.out.rstrip()
    claim = 'Fetch:payouts POST happened twice for key "exp-1" (seq 15 and 22)'
    token = re.search(r"run seed (e1-\w+)", first.out)
    assert token is not None
    assert told == [f"Regression {shown} still fails: {claim}; run seed {token[1]}"]
    assert (second.code, second.err) == (1, "")
    assert project.saved == [path]
    assert path.read_bytes() == kept

    off = project.check("--regressions", "off")
    assert off.out == first.out


def test_all_causes_are_saved_and_none_twice(project: Project) -> None:
    told = project.check("--save", "--all").err.splitlines()
    files = project.saved
    assert len(told) == len(files) == 6
    kept = [path.read_bytes() for path in files]
    again = project.check("--save", "--all")
    assert again.err == ""
    assert [path.read_bytes() for path in project.saved] == kept
    assert len(split(again.out)[1]) == 6


def test_one_that_still_fails_is_told_before_the_search(project: Project) -> None:
    project.check("--save")
    (path,) = project.saved
    ended = project.check("--progress")
    said = f"{path.relative_to(project.folder)} still fails: Fetch:payouts POST happened twice"
    assert re.match(r"\s*\x1b\[K" + re.escape(said), ended.err)


def test_it_stands_edits_and_tells_when_it_does_not_fit_or_passes(project: Project) -> None:
    project.check("--save")
    (path,) = project.saved
    shown = path.relative_to(project.folder)
    step = "pay the employee"

    # Another name for a variable.
    project.edit(r"\bdecision\b(?!\")", "verdict_")
    _, told = split(project.check("--no-save", "--regressions", "only").out)
    assert [line.split(": ")[0] for line in told] == [f"Regression {shown} still fails"]

    project.edit(step, "pay them")
    ended = project.check("--no-save", "--regressions", "only")
    _, told = split(ended.out)
    assert told == [
        (
            f'Regression {shown} no longer fits: the step "{step}" is gone from workflow:APPROVALS:exp-1, '
            'or not reached any more (steps there: "pay them"); if it was '
            "renamed, rename it in the file, else delete the file"
        )
    ]
    assert ended.code == 3
    assert "only the saved schedules were tried" in ended.out


def test_a_corrected_worker_is_bounded_and_the_schedule_passes(project: Project) -> None:
    project.check("--save")
    (path,) = project.saved
    fixed = project.folder / project.worker.replace(
        "worker", "worker" + (".fixed" if project.worker.endswith("ts") else "_fixed")
    )
    scenario = project.folder / project.scenario
    scenario.write_text(scenario.read_text().replace(project.worker, fixed.name))
    ended = project.check()
    report, told = split(ended.out)
    assert ended.code == 0
    assert report.startswith("BOUNDED")
    shown = path.relative_to(project.folder)
    assert told == [f"Regression {shown} passes now: keep it as a test, or delete it"]
    assert split(project.check("--regressions", "off").out) == (report, [])


def test_a_schedule_outside_of_the_bounds_still_makes_it_violated(project: Project) -> None:
    project.check("--save")
    ended = project.check("--max-faults", "0")
    assert ended.code == 1
    assert ended.out.startswith("VIOLATED")
    assert "Certificate: none: it was saved earlier, and is tried before any search" in ended.out
    token = re.search(r"run seed (e1-\w+)", ended.out)
    assert token is not None
    replayed = subprocess.run(
        [sys.executable, "-m", "eutaxy", "replay", project.scenario, token[1]],
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert replayed.returncode == 1
    assert "Invariant paid-once is violated" in replayed.stdout


def test_the_documentation_shows_the_file(project: Project) -> None:
    project.check("--save")
    (path,) = project.saved
    page = (EXAMPLES.parents[1] / "docs" / "regressions.md").read_text(encoding="utf-8")
    assert f"\n```json\n{path.read_text()}```\n" in page
    assert path.name in page


def test_nothing_is_saved_where_nobody_watches(project: Project) -> None:
    assert project.check().err == ""
    assert not (project.folder / ".eutaxy").exists()


@pytest.mark.parametrize(
    ("variables", "is_saved"),
    [
        ({}, True),
        ({"EUTAXY_SAVE": "0"}, False),
        ({"CI": "true"}, False),
        ({"CI": "true", "EUTAXY_SAVE": "1"}, True),
    ],
)
def test_a_person_on_a_terminal_gets_files(
    project: Project, variables: dict[str, str], *, is_saved: bool
) -> None:
    terminal, other_end = pty.openpty()
    ended = subprocess.run(
        [sys.executable, "-m", "eutaxy", "check", project.scenario],
        cwd=project.folder,
        env={**os.environ, "EUTAXY_SAVE": "", "CI": "", "TERM": "xterm", **variables},
        stdout=subprocess.DEVNULL,
        stderr=other_end,
        check=False,
    )
    os.close(other_end)
    os.close(terminal)
    assert ended.returncode == 1
    assert bool(project.saved) is is_saved


def test_a_folder_that_cannot_be_written_is_a_warning(project: Project) -> None:
    without = project.check()
    (project.folder / ".eutaxy").write_text("mine")
    ended = project.check("--save")
    assert (ended.code, ended.out) == (without.code, without.out)
    assert re.fullmatch(r"Warning: \.eutaxy/\S+ was not saved: [A-Z].*\n", ended.err)
    assert (project.folder / ".eutaxy").read_text() == "mine"


def test_a_broken_file_is_told_of_and_kept(project: Project) -> None:
    project.check("--save")
    (path,) = project.saved
    path.write_text("<<<<<<< HEAD\n")
    ended = project.check("--save")
    _, told = split(ended.out)
    shown = path.relative_to(project.folder)
    assert told == [
        (
            f"Regression {shown} cannot be read: it is no JSON; nothing of it was changed: correct it, or "
            "delete it"
        )
    ]
    assert path.read_text() == "<<<<<<< HEAD\n"
    assert ended.err == ""


def test_what_an_unfaithful_worker_did_is_not_saved(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "p", ignore=shutil.ignore_patterns("node_modules"))
    project = Project(tmp_path / "p", "expenses.sim.ts", "worker.ts")
    project.edit('"content-type": "application/json" }', '"x-call": `${calls++}` }', count=1)
    project.edit(r"\Z", "let calls = 0;\n")
    assert project.check("--save").code == 4
    assert project.saved == []
