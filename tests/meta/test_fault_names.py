"""Types and documentation name the faults that there are, optional ones as such."""

from __future__ import annotations

import re
from pathlib import Path

from eutaxy._base.fault import OPTIONAL, Fault
from eutaxy._session.bounds_given import FAULT_NAMES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/model.md").read_text(encoding="utf-8")


def _documented(title: str) -> list[str]:
    section = PAGE.partition(f"\n{title}\n")[2].partition("\n#")[0]
    return re.findall(r"^\| `([a-z_]+)` \|", section, flags=re.MULTILINE)


def test_the_types_name_every_fault() -> None:
    types = (ROOT / "npm/cloudflare.d.ts").read_text(encoding="utf-8")
    declared = types.partition("export type Fault =")[2].partition(";")[0]
    camel = [re.sub(r"_([a-z])", lambda part: part[1].upper(), each) for each in FAULT_NAMES]
    assert sorted(re.findall(r'"([^"]+)"', declared)) == sorted(camel)


def test_the_page_of_the_model_tells_what_each_does() -> None:
    always = [each.value for each in Fault if each not in OPTIONAL]
    assert sorted(_documented("## Faults")) == sorted(always)
    assert sorted(_documented("### Optional faults")) == sorted(each.value for each in OPTIONAL)
