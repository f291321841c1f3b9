"""What users import: a name that appears or goes here is a change that the changelog must tell."""

from __future__ import annotations

import ast
import re

import pytest

from tests.meta.tree import PACKAGE, ROOT, tree_of

FUNCTIONS = {
    "at_most_once_per_key",
    "bounds",
    "define_scenario",
    "external",
    "fetch_call",
    "http",
    "unique",
    "workflow",
    "workflow_rows",
}
TYPES = {
    "BoundsGiven",
    "Drive",
    "External",
    "FetchCalls",
    "Invariant",
    "Json",
    "Request",
    "Response",
    "ScenarioGiven",
    "Setup",
    "WorkerFiles",
    "WorkflowRows",
}
ONLY_PYTHON = {"bounds"}
"""In TypeScript bounds are an object literal."""

DECLARATIONS = ROOT / "npm" / "cloudflare.d.ts"


def _public_names() -> set[str]:
    names: list[str] = []
    for node in tree_of(PACKAGE / "cloudflare.py").body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return {name for name in names if not name.startswith("_")}


def test_the_scenario_api_in_python_is_exactly_this() -> None:
    assert _public_names() == FUNCTIONS | TYPES


@pytest.mark.skipif(not DECLARATIONS.exists(), reason="npm/cloudflare.d.ts is not written yet")
def test_typescript_has_the_same_functions() -> None:
    text = DECLARATIONS.read_text(encoding="utf-8")
    declared = re.findall(r"\bexport (?:declare )?function (\w+)", text)
    in_snake_case = {re.sub(r"(?<=[a-z])[A-Z]", r"_\g<0>", name).lower() for name in declared}
    assert in_snake_case == FUNCTIONS - ONLY_PYTHON


def test_the_root_package_holds_the_version_and_nothing_else() -> None:
    body = tree_of(PACKAGE / "__init__.py").body
    assert [type(node) for node in body] == [ast.Expr, ast.Assign]
    assert ast.unparse(body[1]).startswith("__version__ = ")
