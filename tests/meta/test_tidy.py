"""Size limits and leftovers: what makes files hard to read, or tied to one machine."""

from __future__ import annotations

import ast
import re

from tests.meta.tree import ROOT, name_of, package_modules, python_files, text_files, tree_of

MODULE_LINES_MAX = 600
"""The hard stop. 400 is the aim."""
MODULE_LINES_AIM = 400
FUNCTION_LINES_MAX = 69

# Modules of more than 400 lines, each with the reason why it is not two. A module that shrinks must
# leave this list.
LONG_MODULES: dict[str, str] = {
    "src/eutaxy/_base/scenario.py": "what a scenario may declare is one vocabulary, read in one go",
}

_ISSUE = re.compile(r"#\d+")
# Put together here, so that this file does not name them itself.
_LEFTOVER = re.compile("|".join((r"\bTO" + "DO", r"\bFIX" + "ME", r"\bX" + r"XX\b")))
_FOREIGN_PATHS = tuple(
    f"/{folder}/" for folder in ("work", "ro" + "ot", "ho" + "me", "farm", "Users")
)
_FOREIGN_WORDS = (".." + "/shared", "hel" + "pers/context")


def test_modules_are_short() -> None:
    lengths = {
        name_of(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in package_modules()
    }
    too_long = {name: lines for name, lines in lengths.items() if lines > MODULE_LINES_MAX}
    assert too_long == {}
    unexplained = {
        name: lines
        for name, lines in lengths.items()
        if lines > MODULE_LINES_AIM and name not in LONG_MODULES
    }
    assert unexplained == {}
    shrunk = [name for name in LONG_MODULES if lengths.get(name, 0) <= MODULE_LINES_AIM]
    assert shrunk == []


def test_functions_are_short() -> None:
    # Tests are left out: what makes one long is its expected value, which reads best in one piece.
    too_long = {
        f"{name_of(path)}:{node.lineno} {node.name}": lines
        for path in python_files()
        if not name_of(path).startswith("tests/")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for lines in ((node.end_lineno or node.lineno) - node.lineno + 1,)
        if lines > FUNCTION_LINES_MAX
    }
    assert too_long == {}


def test_nothing_is_left_to_do_without_an_issue() -> None:
    left = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in text_files()
        if path.suffix != ".md"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _LEFTOVER.search(line) and not _ISSUE.search(line)
    ]
    assert left == []


def test_no_file_names_a_path_of_one_machine() -> None:
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if any(word in line for word in (*_FOREIGN_PATHS, *_FOREIGN_WORDS))
    ]
    assert found == []


def test_no_module_is_called_utils() -> None:
    vague = {"utils", "util", "helpers", "misc", "common"}
    assert [name_of(path) for path in python_files() if path.stem in vague] == []


def test_there_are_modules_to_check() -> None:
    assert ROOT / "src/eutaxy/errors.py" in package_modules()
