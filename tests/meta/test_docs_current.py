"""What is pasted into the documentation is what the program says now; and nothing is left out."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import is_typeddict

import pytest
from tools.docs import citations, generated, pages, rule_sentences

import eutaxy.cloudflare
from tests.meta.tree import ROOT, name_of

SCENARIO = ROOT / "docs" / "scenario.md"
MODEL = ROOT / "docs" / "model.md"


@pytest.mark.host
@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_generated_parts_are_current(page: Path) -> None:
    assert generated(page) == page.read_text(encoding="utf-8"), "run `make docs`"


def test_pages_link_to_what_is_there() -> None:
    broken = [
        f"{name_of(page)}: {target}"
        for page in pages()
        for target in re.findall(r"\]\(([^)#]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_rule_that_code_cites_has_its_sentence() -> None:
    cited = set(citations((ROOT / "src").rglob("*.py")))
    assert cited - set(rule_sentences()) == set()


def test_every_function_of_the_scenario_api_is_documented() -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    functions = {
        name
        for name, value in vars(eutaxy.cloudflare).items()
        if inspect.isfunction(value)
        and value.__module__.startswith("eutaxy._declare.")
        and not name.startswith("_")
    }
    assert "define_scenario" in functions
    written = set(re.findall(r"`(\w+)\b", text))
    camel = {re.sub(r"_([a-z])", lambda found: found[1].upper(), name) for name in functions}
    assert (functions | camel) - written == set()


def test_every_member_of_the_scenario_api_is_documented() -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    members = {
        member
        for shape in vars(eutaxy.cloudflare).values()
        if is_typeddict(shape)
        for member in shape.__annotations__
    }
    assert {"expect_status", "latency", "applied", "atMs"} <= members
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```$", "", text))
    assert members - set(re.findall(r"\w+", " ".join(inline))) == set()
