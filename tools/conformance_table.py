"""Write docs/conformance.md: what the recorded programs show, and how the model does on each.

That the model agrees where the page says so is what tests/conformance/test_model_agrees.py tests.
Run it with `make docs`; tests/meta/test_conformance_table.py sees that the page is current.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.conformance.exceptions import EXCEPTIONS, OLDER_UNRECORDED  # noqa: E402 - needs the path
from tests.conformance.programs import (  # noqa: E402
    FOLDER,
    OLDER,
    Program,
    program_names,
    read_program,
)

PAGE = ROOT / "docs" / "conformance.md"


HEAD = """\
# The model against the real engine

Made by `make docs` from [conformance/](../conformance/README.md) and its tests; do not edit it.

**{agreeing} of {count} programs agree.** Each is a Worker that ran on the real local engine
(miniflare {miniflare}, workerd {workerd}). The model runs the same file with the profile
`local-2026-11`; outcomes of all calls, outbound requests in their order, and the final status of
every instance must be equal.

The profile `local-2026-08` agrees on {older} of them with what the engine of August 2026 did
(miniflare {older_miniflare}, workerd {older_workerd}); the others but those below were not
recorded there, for the reasons given.
"""


def page() -> str:
    """Make the page."""
    programs = [read_program(name) for name in program_names()]
    engine = _engine(next((FOLDER / "recordings").glob(f"{programs[0].name}.json")))
    kept = sorted((FOLDER / OLDER).glob("*.json"))
    older = _engine(kept[0])
    head = HEAD.format(
        agreeing=sum(1 for each in programs if each.name not in EXCEPTIONS),
        count=len(programs),
        miniflare=engine["miniflare"],
        workerd=engine["workerd"],
        older=sum(1 for each in programs if each.name not in {**EXCEPTIONS, **OLDER_UNRECORDED}),
        older_miniflare=older["miniflare"],
        older_workerd=older["workerd"],
    )
    differing = [
        f"| {_link(name)} | {left.rule} | {left.reason} |"
        for name, left in sorted(EXCEPTIONS.items())
    ]
    tables = [
        _table("Where they differ", ("program", "rule", "why"), differing),
        _table(
            "Where the engine of August 2026 did otherwise, or was not recorded",
            ("program", "how"),
            [f"| {_link(path.stem)} | otherwise |" for path in kept]
            + [
                f"| {_link(name)} | not recorded: {why} |" for name, why in OLDER_UNRECORDED.items()
            ],
        ),
        _table(
            "What is shown by which program",
            ("rule, case, fault or difference", "programs"),
            _shown(programs),
        ),
        _table("Programs", ("program", "about", "agrees"), [_row(each) for each in programs]),
    ]
    return "\n".join([head, *tables])


def _table(title: str, heads: tuple[str, ...], rows: list[str]) -> str:
    first = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    return "\n".join([f"## {title}", "", *first, *rows, ""])


def _engine(recording: Path) -> dict[str, str]:
    return dict(json.loads(recording.read_text(encoding="utf-8"))["engine"])


def _shown(programs: list[Program]) -> list[str]:
    found: dict[str, list[str]] = {}
    for program in programs:
        for shown in program.shows:
            found.setdefault(shown, []).append(program.name)
    return [
        f"| {shown} | {', '.join(_number(name) for name in found[shown])} |"
        for shown in sorted(found, key=_order)
    ]


def _order(shown: str) -> tuple[str, str, int]:
    """Families in the order of their letters, numbers as numbers."""
    family, _, number = shown.rpartition("-")
    return (family.partition("-")[0], family, int(number)) if number.isdigit() else (shown, "", 0)


def _row(program: Program) -> str:
    agrees = "no" if program.name in EXCEPTIONS else "yes"
    return f"| {_link(program.name)} | {program.about} | {agrees} |"


def _link(name: str) -> str:
    return f"[{name}](../conformance/programs/{name}.ts)"


def _number(name: str) -> str:
    number = name.partition("-")[0]
    return f"[{number}](../conformance/programs/{name}.ts)"


def main() -> None:
    """Write the page when it is out of date."""
    text = page()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
        sys.stdout.write(f"renewed {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
