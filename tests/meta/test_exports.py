"""What users import: a name that appears or goes here is a change that the changelog must tell."""

from __future__ import annotations

import ast
import re

from tests.meta.tree import PACKAGE, ROOT, tree_of

FUNCTIONS = {
    "always",
    "at_least_once_per_key",
    "at_most_once_per_key",
    "binding_call",
    "bounds",
    "call",
    "concurrently",
    "create_instance",
    "define_scenario",
    "eventually",
    "exactly_once_per_key",
    "external",
    "fetch_call",
    "fire_schedule",
    "http",
    "implies",
    "never",
    "not_both",
    "ordered",
    "pass_time",
    "response",
    "send_event",
    "status_change",
    "step_result",
    "sum_equals",
    "times",
    "trace_holds",
    "unique",
    "workflow",
    "workflow_rows",
}
TYPES = {
    "AfterEvent",
    "BoundsGiven",
    "Data",
    "DedupeBy",
    "DedupeByBody",
    "DedupeByHeader",
    "Drive",
    "Duration",
    "External",
    "Handle",
    "Handled",
    "Invariant",
    "Json",
    "Keyed",
    "Request",
    "Response",
    "Retention",
    "Row",
    "RowsHold",
    "ScenarioGiven",
    "Selector",
    "ServiceRequest",
    "ServiceResponse",
    "Setup",
    "TraceHolds",
    "TraceRecord",
    "WorkerFiles",
    "WorkflowError",
    "WorkflowRows",
}
ONLY_PYTHON = {"bounds"}
"""In TypeScript bounds are an object literal."""

DECLARATIONS = ROOT / "npm" / "cloudflare.d.ts"


def _public_names() -> set[str]:
    """The names in `__all__`, which are all that the module imports."""
    body = tree_of(PACKAGE / "cloudflare.py").body
    (listed,) = (node.value for node in body if isinstance(node, ast.Assign))
    imported = {
        alias.name
        for node in body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }
    names: list[str] = ast.literal_eval(listed)
    assert sorted(imported) == sorted(names)
    return imported


def test_the_scenario_api_in_python_is_exactly_this() -> None:
    assert _public_names() == FUNCTIONS | TYPES


def test_typescript_has_the_same_functions() -> None:
    text = DECLARATIONS.read_text(encoding="utf-8")
    declared = set(re.findall(r"\bexport (?:declare )?function (\w+)", text))
    in_snake_case = {re.sub(r"(?<=[a-z])[A-Z]", r"_\g<0>", name).lower() for name in declared}
    assert in_snake_case == FUNCTIONS - ONLY_PYTHON


def test_the_root_package_holds_the_version_and_nothing_else() -> None:
    body = tree_of(PACKAGE / "__init__.py").body
    assert [type(node) for node in body] == [ast.Expr, ast.Assign]
    assert ast.unparse(body[1]).startswith("__version__ = ")
