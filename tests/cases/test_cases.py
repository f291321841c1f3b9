"""Failure stories from public reports: the planted Worker of each is caught, the fixed one is not.

Each folder beside this file is a case: a README that tells the story, Workers, scenarios, and a
`case.toml` that says what a check must find in them:

    [[planted]]
    scenario = "planted_sim.py"             # a scenario file of the folder
    most_faults = 1                         # as many as the story needs
    breaks.mailed-once = [["crash_after"]]  # the faults and redeliveries of all smallest schedules
    built_in = {}                           # the same when no invariant is declared
    suspicious = ["F-RUN-4"]                # rules of what the report calls suspicious; or left out

    [[fixed]]
    scenario = "fixed_sim.py"
    max_faults = 2                # what the scenario's bounds must at least be
    max_redeliveries = 1

    [[missed]]                    # where the model is known not to show what is planted
    scenario = "planted_sim.py"
    because = "a pause is not seen in production"

Every entry may name another `profile` than its scenario does.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eutaxy._base.verdict import Verdict, VerdictKind
from eutaxy._session import session
from eutaxy._session.load import Loaded, load_scenario
from eutaxy._session.options import CheckOptions

pytestmark = pytest.mark.host

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/case.toml"))
BUDGET_MS = 60_000


def _entries(kind: str) -> list[Any]:
    """Each planted or fixed entry of each case, under a name that tells which it is."""
    entries = []
    for folder in CASES:
        case = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        assert {"planted", "fixed"} <= set(case) <= {"planted", "fixed", "missed"}, folder.name
        for entry in case.get(kind, []):
            profile = f" ({entry['profile']})" if "profile" in entry else ""
            name = f"{folder.name}/{entry['scenario']}{profile}"
            entries.append(pytest.param(folder, entry, id=name))
    return entries


def _found(verdict: Verdict) -> dict[str, list[list[str]]]:
    """The faults and redeliveries of the reported schedules, by broken invariant."""
    found: dict[str, list[list[str]]] = {}
    for violation in verdict.violations:
        faults = [mark.fault.value for mark in violation.faults]
        redelivered = [f"redelivery of {name}" for name in violation.redelivered]
        found.setdefault(violation.invariant, []).append([*faults, *redelivered])
    return _listed(found)


def _listed(schedules: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    """Each kind of schedule once, in one order."""
    return {
        name: [list(kinds) for kinds in sorted({tuple(sorted(each)) for each in all_of_them})]
        for name, all_of_them in schedules.items()
    }


def _suspicious(verdict: Verdict) -> list[str]:
    return sorted({suspicion.rule for suspicion in verdict.suspicions})


def _check(folder: Path, entry: dict[str, Any], *, is_all: bool = False) -> Verdict:
    options = CheckOptions(is_all=is_all, budget_ms=BUDGET_MS, profile=entry.get("profile"))
    return session.check(str(folder / entry["scenario"]), options=options)


@pytest.fixture
def built_in_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scenarios be checked as if they declared no invariant."""

    def load(shown: str, *, environment: str = "") -> Loaded:
        loaded = load_scenario(shown, environment=environment)
        return replace(loaded, scenario=replace(loaded.scenario, invariants=()))

    monkeypatch.setattr(session, "load_scenario", load)


@pytest.mark.parametrize(("folder", "entry"), _entries("planted"))
def test_the_planted_one_is_violated(folder: Path, entry: dict[str, Any]) -> None:
    verdict = _check(folder, entry, is_all=True)
    assert verdict.kind is VerdictKind.VIOLATED
    assert _found(verdict) == _listed(entry["breaks"])
    assert all(len(each.faults) <= entry["most_faults"] for each in verdict.violations)
    assert _suspicious(verdict) == entry.get("suspicious", [])


@pytest.mark.usefixtures("built_in_only")
@pytest.mark.parametrize(("folder", "entry"), _entries("planted"))
def test_what_is_found_in_the_planted_one_without_a_specification(
    folder: Path, entry: dict[str, Any]
) -> None:
    verdict = _check(folder, entry, is_all=True)
    assert _found(verdict) == _listed(entry["built_in"])


@pytest.mark.parametrize(("folder", "entry"), _entries("fixed"))
def test_the_fixed_one_is_bounded(folder: Path, entry: dict[str, Any]) -> None:
    verdict = _check(folder, entry)
    assert (verdict.kind, verdict.violations) == (VerdictKind.BOUNDED, ())
    assert (verdict.coverage.is_whole, verdict.vacuous) == (True, ())
    assert _suspicious(verdict) == entry.get("suspicious", [])
    assert verdict.bounds.max_faults >= entry["max_faults"] >= 2
    assert verdict.bounds.max_redeliveries >= entry["max_redeliveries"]


@pytest.mark.usefixtures("built_in_only")
@pytest.mark.parametrize(("folder", "entry"), _entries("fixed"))
def test_nothing_is_found_in_the_fixed_one_without_a_specification(
    folder: Path, entry: dict[str, Any]
) -> None:
    verdict = _check(folder, entry)
    assert (verdict.kind, verdict.violations) == (VerdictKind.BOUNDED, ())


@pytest.mark.parametrize(("folder", "entry"), _entries("missed"))
def test_what_is_planted_and_not_found(folder: Path, entry: dict[str, Any]) -> None:
    assert entry["because"]
    assert _check(folder, entry).kind is VerdictKind.BOUNDED


def test_there_are_cases_and_each_tells_its_story() -> None:
    assert CASES
    for folder in CASES:
        assert (folder / "README.md").is_file(), folder.name
