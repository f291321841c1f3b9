"""Write docs/rules.md: which test shows which rule, conformance case, fault point and switch.

Ids are found in names and docstrings of test functions (`test_k01_...`, "R-DO-1, F-DO-5."), and in
the modules of the package. Each has a test; a fault point that is not explored is listed with the
reason.

Run it with `make docs`; tests/meta/test_rules_table.py sees that the page is current.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.docs import citations, rule_sentences  # noqa: E402 - needs the path

PAGE = ROOT / "docs" / "rules.md"

CASES = tuple(f"K-{number:02}" for number in range(1, 71))
FAULTS = tuple(
    f"F-{family}-{number}"
    for family, numbers in {
        "CR": (1, 2, 3, 4, 6, 7),
        "ST": (1,),
        "DO": (*range(1, 17), 20),
        "RUN": (1, 2, 3, 4, 6, 7),
        "SL": (2, 3, 4, 5, 6, 8),
        "EV": (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12),
        "RB": (1, 2, 3, 4, 5, 6, 7, 8, 9),
        "LC": (1, 2, 3, 4, 5, 6, 7),
    }.items()
    for number in numbers
)
"""Fault points that are explored by default."""

ASKED = {
    "F-CR-8": "`retention_over`; always after `delete`, and a retention that `create` was given",
    "F-ST-2": "`queued_long`",
    "F-RUN-5": "`deployed`, with a `nextClass`",
    "F-DO-19": "always: between the effects that make the stream, and at `step_result`",
    "F-RUN-8": "`crash_run_logged`",
    "F-SL-1": "`crash_sleep_noted`",
    "F-EV-6": "`event_again`; always with the local profiles",
    "F-EV-13": "`crash_wait_noted`",
    "F-LC-8": "`restart_half`",
    "F-LC-9": "`queued_long`",
    "F-LC-10": "always: a call under way when its instance is deleted lands later",
    "F-LC-11": "`status_stale`; `request_lost` strikes `status()` always",
}
"""Fault points that the catalogue calls optional, and the faults that have to be named for them."""

ASKED_BY_RULES = {"R-LIM-2": "`attempt_killed`"}
"""The same of rules about misfortunes that are no points of the catalogue."""

FOLLOWS = {
    "F-DO-17": "from R-RES-4",
    "F-DO-18": "from R-RES-2",
    "F-RUN-9": "from R-RUN-1",
    "F-SL-7": "local profiles (DIFF-04)",
    "F-EV-14": "local profiles (DIFF-07)",
}
"""Fault points that follow from other rules."""

UNTRIED = {
    "F-CR-5": "local, and off in the catalogue: an instance that was acknowledged is stored",
}
"""Fault points that are not explored, and why."""

_ID = re.compile(r"\b(?:R-[A-Z]+-\d+|K-\d\d|F-[A-Z]+-\d+|DIFF-\d\d)\b")
_IN_NAME = re.compile(r"_(k_?\d\d|[rf]_[a-z]+_\d+)(?=_|$)")
_TESTS_SHOWN_MAX = 4


def shown_by() -> dict[str, list[str]]:
    """Find the test functions that carry each id, in the order of files and lines."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name, ids in _functions(path):
            for each in ids:
                found.setdefault(each, []).append(name)
    return found


def _functions(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            ids = [_spelt(each) for each in _IN_NAME.findall(node.name)]
            ids += _ID.findall(ast.get_docstring(node) or "")
            yield node.name, list(dict.fromkeys(ids))


def _spelt(part: str) -> str:
    """The id that a part of a function's name stands for: k01 is K-01, r_do_1 is R-DO-1."""
    return f"K-{part[-2:]}" if part[0] == "k" else part.upper().replace("_", "-")


def page() -> str:
    """Make the whole page."""
    tests = shown_by()
    code = citations((ROOT / "src").rglob("*.py"))
    sentences = rule_sentences()
    switches = sorted(each for each in tests if each.startswith("DIFF-"))
    parts = [
        _HEAD,
        _table(
            ("rule", "what the model does", "code", "tests"),
            (
                (rule, text, _modules(code.get(rule, [])), _names(tests.get(rule, [])))
                for rule, text in sentences.items()
            ),
        ),
        "\n## Conformance cases\n\n",
        _rows("case", CASES, tests),
        "\n## Fault points\n\n",
        _rows("point", FAULTS, tests),
        "\nOptional ones strike where `faults` of the bounds names them:\n\n",
        _table(
            ("point", "named as", "tests"),
            (
                (each, name, _names(tests.get(each, [])))
                for each, name in {**ASKED, **ASKED_BY_RULES}.items()
            ),
        ),
        "\nThe rest of the catalogue:\n\n",
        _table(
            ("point", "how, or why not", "tests"),
            (
                (each, why, _names(tests.get(each, [])))
                for each, why in {**FOLLOWS, **UNTRIED}.items()
            ),
        ),
        "\n## Differences between profiles\n\n",
        _rows("difference", switches, tests),
    ]
    return "".join(parts)


def _rows(head: str, ids: Iterable[str], tests: Mapping[str, list[str]]) -> str:
    return _table((head, "tests"), ((each, _names(tests.get(each, []))) for each in ids))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _modules(paths: list[Path]) -> str:
    return ", ".join(f"[{path.stem}](../{path.relative_to(ROOT).as_posix()})" for path in paths)


def _names(tests: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in tests[:_TESTS_SHOWN_MAX])
    more = len(tests) - _TESTS_SHOWN_MAX
    return f"{shown} and {more} more" if more > 0 else shown


_HEAD = """\
# Rules of the Workflows engine, and the tests that show them

Made by `make docs` from [rules.toml](rules.toml), the package and the tests; do not edit it.
What the rules are about, and how far they can be trusted, is in [model.md](model.md). Tests of the
folder `tests/rules` run small Workflows in TypeScript and in Python, in the real hosts.

"""


def main() -> None:
    """Write the page if it is out of date."""
    text = page()
    if not PAGE.exists() or text != PAGE.read_text(encoding="utf-8"):
        PAGE.write_text(text, encoding="utf-8")
        sys.stdout.write(f"renewed {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
