"""Write the table in docs/invariants.md: what the built-in invariants find in tests/cases.

What is found stands in each case's `case.toml`, and tests/cases/test_cases.py checks every program
against it. Run it with `make docs`; tests/meta/test_invariants_table.py sees that the page is
current.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"
PAGE = ROOT / "docs" / "invariants.md"

_TABLE = re.compile(r"(?<=<!-- cases -->\n).*?(?=<!-- end of cases -->)", re.DOTALL)
_TITLE = re.compile(r"# (S\d+): (.+)")

Schedules = dict[str, list[list[str]]]
"""By broken invariant, the kinds of faults and redeliveries of each of its smallest schedules."""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """One planted program.

    Args:
        link: Link to its folder, with the number of the case.
        title: What the case is about.
        scenario: File name of the scenario; empty when it is the only one of the case.
        breaks: What the declared invariants find.
        built_in: What the built-in ones find alone.
        fixed: Faults and redeliveries with which the fixed programs of the case are checked.
    """

    link: str
    title: str
    scenario: str
    breaks: Schedules
    built_in: Schedules
    fixed: tuple[tuple[int, int], ...]


def planted() -> list[Planted]:
    """Read the planted programs of all cases, in the order of the cases."""
    found: list[Planted] = []
    for path in sorted(CASES.glob("*/case.toml")):
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        title = _TITLE.match((path.parent / "README.md").read_text(encoding="utf-8"))
        assert title is not None, f"{path.parent.name}/README.md has no title like '# S01: ...'"
        found += [
            Planted(
                link=f"[{title[1]}](../tests/cases/{path.parent.name}/README.md)",
                title=title[2],
                scenario=entry["scenario"] if len(case["planted"]) > 1 else "",
                breaks=entry["breaks"],
                built_in=entry["built_in"],
                fixed=tuple(
                    (each["max_faults"], each["max_redeliveries"]) for each in case["fixed"]
                ),
            )
            for entry in case["planted"]
        ]
    return found


def table() -> str:
    """Make the table, with the sentence that sums it up."""
    rows = planted()
    caught = sum(1 for row in rows if row.built_in)
    fixed = sum(len(checks) for checks in {row.link: row.fixed for row in rows}.values())
    lines = [
        f"Of {len(rows)} planted programs the built-in invariants alone find {caught}. In {fixed}",
        "checks of fixed programs they find nothing.",
        "",
        "| case | declared invariants | built-in invariants alone | fixed: nothing, with |",
        "| --- | --- | --- | --- |",
        *(_row(row) for row in rows),
    ]
    return "\n".join(lines)


def _row(row: Planted) -> str:
    scenario = f" (`{row.scenario}`)" if row.scenario else ""
    name = f"{row.link} {row.title}{scenario}"
    checks = dict.fromkeys(_bounds(*each) for each in row.fixed)
    return f"| {name} | {_told(row.breaks)} | {_told(row.built_in)} | {'; '.join(checks)} |"


def _bounds(faults: int, redeliveries: int) -> str:
    return f"{faults} faults, {redeliveries} redeliver{'y' if redeliveries == 1 else 'ies'}"


def _told(found: Schedules) -> str:
    """What is found; "nothing" when nothing is."""
    told = [f"`{name}`: {_any_of(found[name])}" for name in sorted(found)]
    return "; ".join(told) or "nothing"


def _any_of(schedules: list[list[str]]) -> str:
    """Which schedules break an invariant: any one of these."""
    each = [" and ".join(kinds) or "no fault" for kinds in sorted(schedules)]
    return " or ".join([", ".join(each[:-1]), each[-1]] if len(each) > 1 else each)


def page() -> str:
    """Make the page anew."""
    text, count = _TABLE.subn(lambda _: f"\n{table()}\n\n", PAGE.read_text(encoding="utf-8"))
    assert count == 1, "docs/invariants.md has one place for the table"
    return text


def main() -> None:
    """Write the page when it is out of date."""
    text = page()
    if PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
        sys.stdout.write(f"renewed {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
