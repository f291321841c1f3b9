"""docs/invariants.md is current, speaks of every built-in invariant, and of every case."""

from __future__ import annotations

import re

from tools.invariants_table import CASES, PAGE, page, planted

from eutaxy._base.scenario import BUILT_IN


def test_the_page_is_current() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "run `make docs`"


def test_every_built_in_invariant_has_its_section() -> None:
    sections = re.findall(r"(?m)^## `([\w-]+)`$", PAGE.read_text(encoding="utf-8"))
    assert tuple(sections) == BUILT_IN


def test_every_case_is_in_the_table() -> None:
    rows = re.findall(r"(?m)^\| \[S\d+\]\(\.\./tests/cases/([\w-]+)/README\.md\)", page())
    assert set(rows) == {path.name for path in CASES.iterdir() if path.name.startswith("s")}
    assert len(rows) == len(planted())


def test_what_is_found_are_built_in_invariants() -> None:
    assert {name for row in planted() for name in row.built_in} <= set(BUILT_IN)
