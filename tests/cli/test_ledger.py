"""Ledgers: one that was written holds, and one that was changed in any way does not."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eutaxy.errors import ExitCode
from tests.cli.scripted import Run

pytestmark = pytest.mark.host

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "workflow-approval"
SCENARIOS = {
    "expenses.fixed.sim.ts": "BOUNDED",
    "expenses.sim.ts": "VIOLATED",
    "python/expenses_fixed_sim.py": "BOUNDED",
}

Lines = list[Any]
Tamper = Callable[[Lines], None]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ledgers") / "p"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("node_modules", ".eutaxy"))
    return folder


@pytest.fixture
def fixed(project: Path, eutaxy: Run) -> Path:
    """The ledger of the fixed example, written once."""
    file = project / "fixed.jsonl"
    if not file.exists():
        scenario = str(project / "expenses.fixed.sim.ts")
        assert eutaxy("check", scenario, "--ledger", str(file)).code == ExitCode.BOUNDED
    return file


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_ledger_that_was_written_holds(project: Path, eutaxy: Run, scenario: str) -> None:
    plain, packed = project / "l.jsonl", project / "l.jsonl.gz"
    for file in (plain, packed):
        eutaxy("check", str(project / scenario), "--ledger", str(file))
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    for options in ((), ("--all",), ("--sample", "7", "--seed", "x")):
        verified = eutaxy("verify", str(packed), *options)
        assert (verified.code, verified.err) == (0, "")
        assert f"HOLDS  {packed}  (expenses: {SCENARIOS[scenario]})" in verified.out
        assert ("Executed again  7 choices" in verified.out) is ("7" in options)


def test_equal_checks_write_equal_bytes(project: Path, fixed: Path, eutaxy: Run) -> None:
    other = project / "other.jsonl"
    options = ("--workers", "2", "--ledger", str(other))
    eutaxy("check", str(project / "expenses.fixed.sim.ts"), *options)
    assert other.read_bytes() == fixed.read_bytes()


def test_what_was_not_finished_is_not_called_complete(project: Path, eutaxy: Run) -> None:
    file = project / "cut.jsonl"
    options = ("--max-faults", "9", "--max-concurrent", "3", "--max-redeliveries", "9")
    checked = eutaxy(
        "check",
        str(project / "expenses.fixed.sim.ts"),
        *options,
        *("--budget", "300", "--ledger", str(file)),
    )
    verified = eutaxy("verify", str(file))
    assert verified.code == 0
    (level,) = (line for line in checked.out.splitlines() if line.startswith("Complete level"))
    assert level in verified.out
    assert "beyond the complete level" in verified.out


# -- what does not hold ------------------------------------------------------------------------


def _worlds(lines: Lines) -> list[Any]:
    return [line for line in lines if isinstance(line, list) and line[0] == "world"]


def _drop_a_world(lines: Lines) -> None:
    lines.remove(_worlds(lines)[100])


def _drop_a_choice(lines: Lines) -> None:
    world = next(each for each in _worlds(lines) if len(each[6]) > 4)
    del world[6][2:4]


def _forget_where_a_choice_leads(lines: Lines) -> None:
    world = next(each for each in _worlds(lines) if len(each[6]) > 4 and each[6][3] is not None)
    world[6][3] = None


def _redirect(lines: Lines) -> None:
    worlds = _worlds(lines)
    world = worlds[20]
    target = world[6][1]
    # To another world of the same level, so that the numbers still fit.
    world[6][1] = next(
        each[1]
        for each in worlds
        if each[1] not in (target, world[1]) and each[3:5] == worlds[target][3:5]
    )


def _count_more(lines: Lines) -> None:
    lines[0]["schedulesByFaults"][1] += 1


def _count_more_worlds(lines: Lines) -> None:
    lines[0]["worlds"] += 1


def _end_early(lines: Lines) -> None:
    world = next(each for each in _worlds(lines) if each[5] == "" and len(each[6]) > 2)
    world[5] = "rest"


def _explore_less(lines: Lines) -> None:
    world = _worlds(lines)[50]
    world[5], world[6] = "unexplored", []


def _hide_what_is_bad(lines: Lines) -> None:
    world = next(each for each in _worlds(lines) if each[5] == "rest")
    world[5] = "bad at rest"


def _change_a_key(lines: Lines) -> None:
    world = _worlds(lines)[30]
    world[2] = "0" * 32


def _claim_more(lines: Lines) -> None:
    lines[0]["complete"] = [2, 2]


def _cut_off(lines: Lines) -> None:
    del lines[-1]


def _reach_by_fewer_faults(lines: Lines) -> None:
    world = next(each for each in _worlds(lines) if each[3] == 1)
    world[3] = 0


@pytest.mark.parametrize(
    "tamper",
    [
        _drop_a_world,
        _drop_a_choice,
        _forget_where_a_choice_leads,
        _redirect,
        _count_more,
        _count_more_worlds,
        _end_early,
        _explore_less,
        _hide_what_is_bad,
        _change_a_key,
        _claim_more,
        _cut_off,
        _reach_by_fewer_faults,
    ],
    ids=lambda each: each.__name__.strip("_"),
)
def test_a_ledger_that_was_changed_does_not_hold(
    project: Path, fixed: Path, eutaxy: Run, tamper: Tamper
) -> None:
    lines = [json.loads(line) for line in fixed.read_text(encoding="utf-8").splitlines()]
    tamper(lines)
    changed = project / "changed.jsonl"
    changed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    verified = eutaxy("verify", str(changed), "--all")
    assert verified.code == ExitCode.REFUTED
    assert f"verifying {changed}" in verified.err
    assert "HOLDS" not in verified.out


def test_code_that_has_changed_is_no_longer_what_it_is_of(
    project: Path, fixed: Path, eutaxy: Run
) -> None:
    worker = project / "worker.fixed.ts"
    before = worker.read_text(encoding="utf-8")
    try:
        worker.write_text(f"{before}\nexport const changed = 1;\n", encoding="utf-8")
        verified = eutaxy("verify", str(fixed))
    finally:
        worker.write_text(before, encoding="utf-8")
    assert verified.code == ExitCode.REFUTED
    assert "the worker has changed" in verified.err


@pytest.mark.parametrize("content", ["", "{}\n", "no ledger\n", '{"format": "eutaxy-ledger/9"}\n'])
def test_another_file_is_no_ledger(tmp_path: Path, eutaxy: Run, content: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(content, encoding="utf-8")
    verified = eutaxy("verify", str(file))
    assert verified.code == ExitCode.USAGE
    assert f"reading the ledger {file}" in verified.err


def test_a_file_that_is_not_there_or_is_not_packed(tmp_path: Path, eutaxy: Run) -> None:
    assert eutaxy("verify", str(tmp_path / "none.jsonl")).code == ExitCode.USAGE
    packed = tmp_path / "x.gz"
    packed.write_text("plain", encoding="utf-8")
    assert eutaxy("verify", str(packed)).code == ExitCode.USAGE


def test_a_ledger_that_cannot_be_written_is_an_error(project: Path, eutaxy: Run) -> None:
    file = str(project / "nowhere" / "l.jsonl")
    checked = eutaxy("check", str(project / "expenses.fixed.sim.ts"), "--ledger", file)
    assert checked.code == ExitCode.USAGE
    assert f"writing the ledger {file}" in checked.err


def test_all_and_a_sample_exclude_each_other(eutaxy: Run) -> None:
    assert eutaxy("verify", "l.jsonl", "--all", "--sample", "3").code == ExitCode.USAGE
