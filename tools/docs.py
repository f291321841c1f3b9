"""Keep the outputs, the excerpts and the table of rules in the documentation current.

A comment before a fenced block says where the block comes from; everything between the fences is
written by this program:

    <!-- run in examples/workflow-approval: check ./expenses.sim.ts -->
    <!-- excerpt of examples/workflow-approval/worker.ts from "  override async run" to "  }" -->
    <!-- file examples/workflow-approval/expenses.sim.ts -->

In a command, `{token}` is the first run seed that is printed in the same page. The table between
`<!-- rules -->` and `<!-- end of rules -->` lists the rules that the code cites, the one between
`<!-- profiles -->` and `<!-- end of profiles -->` the switches of the engine.

Run it with `make docs`; tests/meta/test_docs_current.py sees that nothing is out of date.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path

from eutaxy._platform.workflows.profile import PROFILES, Profile

ROOT = Path(__file__).resolve().parent.parent
SENTENCES = ROOT / "docs" / "rules.toml"

_BLOCK = re.compile(
    r"^(?P<comment><!-- (?P<kind>run|excerpt|file) (?P<rest>.*?) -->\n)"
    r"(?P<open>```\w*\n)(?P<body>.*?)(?P<close>^```$)",
    re.MULTILINE | re.DOTALL,
)
_TABLE = re.compile(
    r"(?P<start><!-- (?P<kind>rules|profiles) -->\n).*?(?P<end><!-- end of (?P=kind) -->)",
    re.DOTALL,
)
_RUN = re.compile(r"in (\S+): (.+)")
_EXCERPT = re.compile(r'of (\S+) from "(.+)" to "(.+)"')
_TOKEN = re.compile(r"\be\d+-[a-z2-7]+\b")
_RULE = re.compile(r"\bR-[A-Z]+-\d+\b")
_RECORDINGS_SHOWN_MAX = 4
_REPORTED = range(5)
"""Exit codes of a run that says something about the user's files."""


def pages() -> list[Path]:
    """List the pages that may hold generated parts."""
    found = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").rglob("*.md")]
    examples = (ROOT / "examples").rglob("README.md")
    found += [path for path in examples if "node_modules" not in path.parts]
    return sorted(found)


def generated(page: Path) -> str:
    """Give the text of a page with all its generated parts made anew."""
    token = ""

    def block(found: re.Match[str]) -> str:
        nonlocal token
        body = _MAKERS[found["kind"]](found["rest"].replace("{token}", token))
        token = token or next(iter(_TOKEN.findall(body)), "")
        return found["comment"] + found["open"] + body + found["close"]

    text = _BLOCK.sub(block, page.read_text(encoding="utf-8"))
    tables = {"rules": rules_table, "profiles": profiles_table}
    return _TABLE.sub(
        lambda found: f"{found['start']}\n{tables[found['kind']]()}\n{found['end']}", text
    )


def run(rest: str) -> str:
    """Run a command and give what a terminal shows: the command, then its output."""
    found = _RUN.fullmatch(rest)
    assert found is not None, rest
    folder, arguments = found.groups()
    program = "from eutaxy._cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *shlex.split(arguments)],
        cwd=ROOT / folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in _REPORTED, f"eutaxy {arguments}: {done.stderr}"
    # Progress (a bundler is installed) goes to stderr and is not part of the report; errors are.
    shown = done.stdout or done.stderr
    return f"$ eutaxy {arguments}\n{shown.rstrip()}\n"


def excerpt(rest: str) -> str:
    """Give the lines of a file from the first that starts so to the next that is so."""
    found = _EXCERPT.fullmatch(rest)
    assert found is not None, rest
    name, first, last = found.groups()
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(first))
    end = next(index for index in range(start, len(lines)) if lines[index] == last)
    return textwrap.dedent("\n".join(lines[start : end + 1])) + "\n"


def whole_file(rest: str) -> str:
    """Give a file."""
    return (ROOT / rest).read_text(encoding="utf-8")


_MAKERS: dict[str, Callable[[str], str]] = {"run": run, "excerpt": excerpt, "file": whole_file}


# -- rules ----------------------------------------------------------------------------------------


def rules_table() -> str:
    """Make the table of the rules that the code cites, with what cites and what shows them."""
    sentences = rule_sentences()
    code = citations((ROOT / "src").rglob("*.py"))
    tests = citations((ROOT / "tests").rglob("*.py"))
    rows = ["| rule | what the model does | code | tests | recordings |", "|---|---|---|---|---|"]
    for rule in sorted(code, key=_rule_order):
        cells = (rule, sentences[rule], _links(code[rule]), _links(tests.get(rule, [])))
        rows.append(f"| {' | '.join(cells)} | {_recordings(rule)} |")
    return "\n".join(rows) + "\n"


def rule_sentences() -> dict[str, str]:
    """Read what each rule says, by its id."""
    tables = tomllib.loads(SENTENCES.read_text(encoding="utf-8"))
    return {rule: " ".join(sentence.split()) for rule, sentence in tables["rules"].items()}


NAMING = {
    ROOT / "src/eutaxy/_session/explanation/rules.py",
    ROOT / "tests/unit/session/explanation/test_rules.py",
    ROOT / "tests/planted/test_explanation.py",
}
"""Files that name rules, for explanations of violations, and neither keep nor show them."""


def citations(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Find which files cite each rule, where the rule is kept or shown rather than named."""
    found: dict[str, list[Path]] = {}
    for path in sorted(set(paths) - NAMING):
        for rule in set(_RULE.findall(path.read_text(encoding="utf-8"))):
            found.setdefault(rule, []).append(path)
    return found


@cache
def _shown_by() -> dict[str, list[str]]:
    """Which recorded programs show each rule, by their numbers."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "conformance" / "programs").glob("*.json")):
        for rule in json.loads(path.read_text(encoding="utf-8"))["shows"]:
            found.setdefault(rule, []).append(path.name.partition("-")[0])
    return found


def _recordings(rule: str) -> str:
    numbers = _shown_by().get(rule, [])
    more = len(numbers) - _RECORDINGS_SHOWN_MAX
    shown = ", ".join(numbers[:_RECORDINGS_SHOWN_MAX])
    return f"{shown} and {more} more" if more > 0 else shown


def _links(paths: list[Path]) -> str:
    return ", ".join(f"[{path.stem}](../{path.relative_to(ROOT).as_posix()})" for path in paths)


def _rule_order(rule: str) -> tuple[str, int]:
    _, family, number = rule.split("-")
    return family, int(number)


# -- profiles -------------------------------------------------------------------------------------


def profiles_table() -> str:
    """Make the table of the engine's switches, with their value in each profile."""
    described = inspect.getdoc(Profile) or ""
    names = [each.name for each in fields(Profile) if each.name != "name"]
    heads = ["what the switch says", *(f"`{name}`" for name in PROFILES)]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in names:
        found = re.search(rf"^ +{name}: (.+?)(?=^ +\w+: |\Z)", described, re.MULTILINE | re.DOTALL)
        assert found is not None, name
        sentence = " ".join(found[1].split())
        values = [_shown(getattr(profile, name)) for profile in PROFILES.values()]
        rows.append(f"| {sentence} | {' | '.join(values)} |")
    return "\n".join(rows) + "\n"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "never" if value is None else f"{value:,}"


def main() -> None:
    """Write every page that is out of date."""
    for page in pages():
        text = generated(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            sys.stdout.write(f"renewed {page.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
