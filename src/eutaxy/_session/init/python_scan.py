"""Looking through a Python Worker for the services that it calls and the requests it expects."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

from eutaxy._session.init.findings import (
    METHODS,
    Findings,
    Route,
    route_of,
    route_of_regex,
)
from eutaxy._session.init.python_code import PythonCode, Scope, in_order
from eutaxy.errors import ScenarioError

_ROUTERS = {name.lower() for name in METHODS} | {"route"}
_REQUESTS = re.compile(r"req|request", re.IGNORECASE)
_PATHS = re.compile(r"path|pathname", re.IGNORECASE)


def scan_python(entry: Path, variables: Mapping[str, str], shown_folder: str) -> Findings:
    """What can be seen in a Worker and in the modules beside it that it imports.

    Args:
        entry: Its main module.
        variables: Variables of the config that are texts.
        shown_folder: How messages call the folder of `entry`.

    Raises:
        ScenarioError: A module is no Python.
    """
    findings = Findings()
    waiting, known = [entry], {entry}
    while waiting:
        file = waiting.pop(0)
        shown = os.path.normpath(Path(shown_folder, os.path.relpath(file, entry.parent)))
        module = _Module(_parse(file, shown), variables, shown, findings)
        module.scan()
        for imported in module.imports(entry.parent):
            if imported not in known:
                known.add(imported)
                waiting.append(imported)
    findings.settle()
    return findings


def _parse(file: Path, shown: str) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise ScenarioError(
            f"reading the Worker {shown}",
            f"it is no valid Python: {getattr(error, 'msg', error)}",
            "correct the file",
            place=f"{shown}:{line}" if line else shown,
        ) from None


class _Module:
    """One module, and what is found in it."""

    def __init__(
        self, tree: ast.Module, variables: Mapping[str, str], shown: str, findings: Findings
    ) -> None:
        self._tree = tree
        self._code = PythonCode(tree, variables)
        self._shown = shown
        self._findings = findings
        self._in_calls: set[ast.AST] = set()

    def imports(self, folder: Path) -> Iterator[Path]:
        """Files of the modules that this one imports, as far as they are in the folder."""
        for node in ast.walk(self._tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                path = folder.joinpath(*name.split("."))
                for file in (path.with_suffix(".py"), path / "__init__.py"):
                    if file.is_file():
                        yield file

    def scan(self) -> None:
        """Add what is in this module to the findings."""
        nodes = in_order(self._tree)
        for node in nodes:
            if isinstance(node, ast.Call):
                self._call(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._findings.has_fetch |= node.name in {"fetch", "on_fetch"}
                self._decorated(node)
            elif isinstance(node, ast.Compare):
                self._compared(node)
            elif isinstance(node, ast.Match):
                self._matched(node)
        for node in nodes:
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node not in self._in_calls:
                value = self._code.value(node) or ""
                if re.match(r"https?://", value) and not isinstance(
                    self._code.parents[node], ast.Expr
                ):
                    self._findings.add_mention(value, self._place(node))

    def _place(self, node: ast.AST) -> str:
        return f"{self._shown}:{getattr(node, 'lineno', 1)}"

    # -- calls --------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "fetch" and node.args:
            method = self._method_of_call(node)
            self._findings.add_url(self._code.value(node.args[0]), method, self._place(node))
            self._in_calls |= set(ast.walk(node))
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in {"match", "fullmatch", "search"} and node.args:
            path = route_of_regex("^" + (self._code.value(node.args[0]) or "").removeprefix("^"))
            if path is not None:
                self._add(node, path)
        if name == "startswith" and node.args:
            path = self._code.value(node.args[0]) or ""
            if path.startswith("/"):
                self._add(node, path + ":id" if path.endswith("/") and path != "/" else path)

    def _method_of_call(self, node: ast.Call) -> str | None:
        options: dict[str, ast.expr] = {each.arg: each.value for each in node.keywords if each.arg}
        is_whole = all(each.arg for each in node.keywords)
        for argument in node.args[1:]:
            inner = argument
            if isinstance(inner, ast.Call) and inner.args:
                inner = inner.args[0]
            inner = self._code.constant(inner) or inner
            if not isinstance(inner, ast.Dict):
                is_whole = False
                continue
            for key, value in zip(inner.keys, inner.values, strict=True):
                if isinstance(key, ast.Constant):
                    options[str(key.value)] = value
        if "method" in options:
            method = (self._code.value(options["method"]) or "").upper()
            return method if method in METHODS else None
        return ("POST" if "body" in options else "GET") if is_whole else None

    # -- routes -------------------------------------------------------------------------------

    def _decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for each in node.decorator_list:
            if not isinstance(each, ast.Call) or not isinstance(each.func, ast.Attribute):
                continue
            if not each.args or each.func.attr not in _ROUTERS:
                continue
            path = self._code.value(each.args[0]) or ""
            if path.startswith("/"):
                method = each.func.attr.upper()
                known = method if method in METHODS else None
                self._findings.has_fetch = True
                self._add(each, re.sub(r"\{(\w+)(?::\w+)?\}", r":\1", path), known, node.body)

    def _compared(self, node: ast.Compare) -> None:
        for each in (node.left, *node.comparators):
            text = each.value if isinstance(each, ast.Constant) else None
            if isinstance(text, str) and text.startswith("/") and "//" not in text:
                self._add(node, text)

    def _matched(self, node: ast.Match) -> None:
        for case in node.cases:
            for pattern in _alternatives(case.pattern):
                method, path = self._path_of(pattern, node.subject)
                if path:
                    guard = [] if case.guard is None else [case.guard]
                    method = method or next(self._methods(guard, ast.Eq), None)
                    self._add(pattern, path, method, case.body)

    def _path_of(self, pattern: ast.pattern, subject: ast.expr) -> tuple[str | None, str]:
        if isinstance(pattern, ast.MatchValue):
            value = self._code.value(pattern.value) or ""
            return None, value if value.startswith("/") else ""
        if not isinstance(pattern, ast.MatchSequence):
            return None, ""
        method: str | None = None
        segments: list[str] = []
        for each in pattern.patterns:
            if isinstance(each, ast.MatchValue):
                value = self._code.value(each.value) or ""
                if value in METHODS:
                    method = value
                elif value.startswith("/"):
                    return method, value
                elif value:
                    segments.append(value)
            elif isinstance(each, ast.MatchAs):
                segments.append(f":{each.name or 'part'}")
            else:
                return method, ""
        has_text = any(not segment.startswith(":") for segment in segments)
        is_path = any(
            (isinstance(each, ast.Attribute) and _PATHS.fullmatch(each.attr))
            or (isinstance(each, ast.Name) and re.search("path|parts|segments", each.id))
            for each in ast.walk(subject)
        )
        return method, "/" + "/".join(segments) if has_text and is_path else ""

    def _add(
        self, node: ast.AST, path: str, method: str | None = None, body: Scope | None = None
    ) -> None:
        condition = self._code.condition(node)
        if body is None:
            body = self._guarded(node, condition)
        fields, has_body = self._fields(body)
        method = method or self._method(node, condition, body)
        self._findings.routes.append(
            Route(
                path=route_of(path),
                method=method or ("POST" if has_body else None),
                fields=fields,
                has_body=has_body,
                place=self._place(node),
            )
        )

    def _guarded(self, node: ast.AST, condition: ast.If | None) -> Scope:
        """The statements that a condition leads to: those after it when it is a refusal."""
        if condition is None:
            return self._code.rest(node)
        is_negative = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq)
        return self._code.rest(condition) if is_negative else condition.body

    def _method(self, node: ast.AST, condition: ast.If | None, body: Scope) -> str | None:
        near: list[ast.AST] = [] if condition is None else [condition.test]
        around = node
        while around in self._code.parents:
            around = self._code.parents[around]
            if isinstance(around, ast.If) and around is not condition:
                near.append(around.test)
        for operator in (ast.Eq, ast.NotEq):
            tests = near if operator is ast.Eq else near[:1]
            found = next(self._methods(tests, operator), None)
            if found is not None:
                return found
        inside = {
            method
            for statement in body
            for each in ast.walk(statement)
            if isinstance(each, ast.If)
            for operator in (ast.Eq, ast.NotEq)
            for method in self._methods([each.test], operator)
        }
        if len(inside) == 1:
            return inside.pop()
        return self._refused_before(node)

    def _refused_before(self, node: ast.AST) -> str | None:
        """The method that an earlier `if request.method != ...: return` lets through."""
        while node in self._code.parents:
            parent = self._code.parents[node]
            for name in ("body", "orelse"):
                inside = getattr(parent, name, None)
                if isinstance(inside, list) and node in inside:
                    for each in inside[: inside.index(node)]:
                        if isinstance(each, ast.If):
                            found = next(self._methods([each.test], ast.NotEq), None)
                            if found is not None:
                                return found
            node = parent
        return None

    def _methods(self, nodes: list[ast.AST] | list[ast.expr], operator: type) -> Iterator[str]:
        for node in nodes:
            for each in ast.walk(node):
                if isinstance(each, ast.Compare) and isinstance(each.ops[0], operator):
                    for side in (each.left, *each.comparators):
                        if isinstance(side, ast.Constant) and side.value in METHODS:
                            yield str(side.value)

    # -- bodies -------------------------------------------------------------------------------

    def _fields(self, body: Scope) -> tuple[tuple[str, ...], bool]:
        statements = [*body, *self._called(body)]
        fields: dict[str, None] = {}
        names: set[str] = set()
        has_body = False
        for statement in statements:
            for node in ast.walk(statement):
                if not isinstance(node, ast.Call) or not _is_json_of_request(node):
                    continue
                has_body = True
                for parent in self._code.above(node):
                    if isinstance(parent, ast.Assign):
                        names |= {t.id for t in parent.targets if isinstance(t, ast.Name)}
        for statement in statements:
            for node in in_order(statement):
                name = _member(node, names)
                if name:
                    fields[name] = None
        if has_body:
            fields |= dict.fromkeys(self._passed_on(statements))
        return tuple(fields), has_body

    def _passed_on(self, statements: Scope) -> Iterator[str]:
        """What a Workflow reads from payloads, when a route starts it or sends it an event."""
        sent = {
            node.attr
            for statement in statements
            for node in ast.walk(statement)
            if isinstance(node, ast.Attribute)
        }
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
                continue
            source = self._code.constant(node.value) or node.value
            if not _is_payload(source):
                continue
            value = self._code.constant(source.value)
            is_event = value is not None and "wait_for_event" in ast.dump(value)
            if ("send_event" if is_event else "create") in sent:
                yield str(node.slice.value)

    def _called(self, body: Scope) -> Scope:
        """Bodies of the functions of this module that are called there."""
        functions = {
            node.name: node.body
            for node in ast.walk(self._tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name != "fetch"
        }
        found: Scope = []
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    found += functions.get(name, [])
        return found


def _is_payload(node: ast.expr) -> TypeGuard[ast.Subscript]:
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return False
    return node.slice.value == "payload"


def _alternatives(pattern: ast.pattern) -> list[ast.pattern]:
    return list(pattern.patterns) if isinstance(pattern, ast.MatchOr) else [pattern]


def _is_json_of_request(node: ast.Call) -> bool:
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr != "json" or node.args:
        return False
    owner = function.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return _REQUESTS.fullmatch(name) is not None


def _member(node: ast.AST, names: set[str]) -> str:
    """The member of the body that an expression reads; empty for none."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        key = node.slice
        if node.value.id in names and isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner, key = node.func.value, node.args[0]
        is_get = node.func.attr == "get" and isinstance(owner, ast.Name) and owner.id in names
        if is_get and isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
    return ""
