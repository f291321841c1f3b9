"""Every suspicion that is reported can be silenced, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

from eutaxy._base.scenario import SUSPICIONS
from eutaxy._session.fault_free import REFUSED_CALL
from eutaxy._session.suspicions import SHARED_RULE
from eutaxy._session.unused import UNUSED_EXTERNAL, UNUSED_RESPONSE

ROOT = Path(__file__).resolve().parents[2]


def test_the_rules_of_suspicions_are_those_that_can_be_silenced() -> None:
    used = {SHARED_RULE, REFUSED_CALL, UNUSED_EXTERNAL, UNUSED_RESPONSE}
    for path in (ROOT / "src/eutaxy/_platform").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r'(?:diagnose\(|rule=)\s*"([^"]+)"', text))
    assert sorted(used) == list(SUSPICIONS)


def test_the_types_name_the_same_rules() -> None:
    types = (ROOT / "npm/cloudflare.d.ts").read_text(encoding="utf-8")
    declared = types.partition("export type Suspicion =")[2].partition(";")[0]
    assert re.findall(r'"([^"]+)"', declared) == list(SUSPICIONS)


def test_the_documentation_tells_what_each_is() -> None:
    page = (ROOT / "docs/scenario.md").read_text(encoding="utf-8")
    section = page.partition("\n## Suspicions\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)) == SUSPICIONS
