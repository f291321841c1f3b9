"""docs/rules.md is current, and no rule, case or fault point is without a test."""

from __future__ import annotations

import dataclasses
import inspect
import re

from tools.docs import rule_sentences
from tools.rules_table import (
    ASKED,
    ASKED_BY_RULES,
    CASES,
    FAULTS,
    FOLLOWS,
    PAGE,
    UNTRIED,
    page,
    shown_by,
)

from eutaxy._base.fault import OPTIONAL
from eutaxy._platform.workflows.profile import Profile
from tests.meta.tree import ROOT, package_modules


def test_the_page_is_current() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "run `make docs`"


def test_every_rule_has_a_test() -> None:
    shown = shown_by()
    assert [rule for rule in rule_sentences() if rule not in shown] == []


def test_tests_carry_only_rules_that_exist() -> None:
    rules = {each for each in shown_by() if each.startswith("R-")}
    assert rules - set(rule_sentences()) == set()


def test_every_case_and_every_fault_point_has_a_test() -> None:
    shown = shown_by()
    points = (*CASES, *FAULTS, *ASKED, *FOLLOWS)
    assert [each for each in points if each not in shown] == []
    assert [each for each in UNTRIED if each in shown] == []


def test_the_whole_catalogue_is_here() -> None:
    """Each fault point of 4.2 is shown, follows from a rule, or is listed with its reason."""
    families = {"CR": 8, "ST": 2, "DO": 20, "RUN": 9, "SL": 8, "EV": 14, "RB": 9, "LC": 11}
    catalogue = [f"F-{name}-{n + 1}" for name, most in families.items() for n in range(most)]
    listed = [*FAULTS, *ASKED, *FOLLOWS, *UNTRIED]
    assert sorted(listed) == sorted(catalogue)


def test_every_optional_fault_is_what_some_point_is_named_as() -> None:
    named = " ".join({**ASKED, **ASKED_BY_RULES}.values())
    assert [each.value for each in OPTIONAL if f"`{each.value}`" not in named] == []


def test_every_difference_that_a_profile_names_has_a_test() -> None:
    named = set(re.findall(r"DIFF-\d\d", inspect.getdoc(Profile) or ""))
    assert named
    assert named - set(shown_by()) == set()


def test_every_switch_is_followed() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for path in package_modules()
        if path.name != "profile.py" and path.is_relative_to(ROOT / "src/eutaxy/_platform")
    )
    switches = [field.name for field in dataclasses.fields(Profile) if field.name != "name"]
    assert [each for each in switches if not re.search(rf"profile\.{each}\b", code)] == []
