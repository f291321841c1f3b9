"""Looking through a bundled Worker for the services that it calls and the requests it expects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from eutaxy._session.init.findings import METHODS, Findings
from eutaxy._session.init.js_code import Code, Range
from eutaxy._session.init.js_routes import find_routes
from eutaxy._session.init.js_tokens import Kind, tokens_of

_MODULE = re.compile(r"^// (\S.*\.[cm]?[jt]sx?)$", re.MULTILINE)
_GLOBALS = {"globalThis", "self", "window"}


def scan_javascript(
    code: str, variables: Mapping[str, str], place: Callable[[int], str]
) -> Findings:
    """What can be seen in a bundle.

    Args:
        code: The bundle, not minified.
        variables: Variables of the config that are texts.
        place: Tells where in the user's files an offset of the bundle comes from.
    """
    own, packages = without_packages(code)
    script = Code(tokens_of(own), variables)
    findings = Findings()
    if packages:
        findings.unseen.append(
            f"calls that packages make ({', '.join(packages)}): declare the services they go to"
        )
    seen = _find_calls(script, findings, place)
    _find_mentions(script, findings, seen, place)
    find_routes(script, findings, place)
    findings.has_fetch = bool(findings.routes) or _has_fetch(script)
    findings.settle()
    return findings


def without_packages(code: str) -> tuple[str, list[str]]:
    """The bundle with the code of packages blanked out, and the names of those packages."""
    marks = list(_MODULE.finditer(code))
    ends = [*(mark.start() for mark in marks[1:]), len(code)]
    packages: dict[str, None] = {}
    for mark, end in zip(marks, ends, strict=True):
        inside = mark[1].rpartition("node_modules/")
        if inside[1]:
            scope, _, rest = inside[2].partition("/")
            name = f"{scope}/{rest.partition('/')[0]}" if scope.startswith("@") else scope
            packages[name] = None
            blank = re.sub(r"[^\n]", " ", code[mark.start() : end])
            code = code[: mark.start()] + blank + code[end:]
    return code, sorted(packages)


def _find_calls(script: Code, findings: Findings, place: Callable[[int], str]) -> list[Range]:
    seen: list[Range] = []
    for index, token in enumerate(script.tokens):
        if token.kind is not Kind.NAME or token.text != "fetch" or script.text(index + 1) != "(":
            continue
        before = script.text(index - 1)
        is_member = before == "." and script.text(index - 2) not in _GLOBALS
        is_definition = script.text(script.end(index + 1) + 1) == "{" or before == "function"
        if is_member or is_definition:
            continue
        arguments = script.arguments(index + 1)
        if not arguments:
            continue
        url = script.value(arguments[0])
        findings.add_url(url, _method(script, arguments), place(token.offset))
        seen.append((index, script.end(index + 1)))
    return seen


def _method(script: Code, arguments: list[Range]) -> str | None:
    if len(arguments) == 1:
        start, _ = arguments[0]
        if script.text(start) == "new" and script.text(start + 1) == "Request":
            return _method(script, script.arguments(start + 2))
        if script.text(start) and script.value(arguments[0]) is None:
            return None
        return "GET"
    start, end = arguments[1]
    if end == start + 1 and script.tokens[start].kind is Kind.NAME:
        known = script.constant(script.text(start), start)
        if known is None:
            return None
        start, end = known
    if script.text(start) != "{":
        return None
    members = script.arguments(start)
    for first, last in members:
        if (script.text(first) or script.string(first)) == "method":
            value = script.value((first + 2, last)) if script.text(first + 1) == ":" else None
            return value.upper() if value and value.upper() in METHODS else None
    has_body = any(script.text(first) == "body" for first, _ in members)
    is_whole = not any(script.text(first) == "..." for first, _ in members)
    return ("POST" if has_body else "GET") if is_whole else None


def _find_mentions(
    script: Code, findings: Findings, seen: list[Range], place: Callable[[int], str]
) -> None:
    for index, token in enumerate(script.tokens):
        if token.kind not in {Kind.TEXT, Kind.TEMPLATE}:
            continue
        if any(start <= index < end for start, end in seen):
            continue
        value = script.value((index, index + 1))
        if value and re.match(r"https?://", value):
            findings.add_mention(value, place(token.offset))


def _has_fetch(script: Code) -> bool:
    for index in range(len(script.tokens)):
        if script.text(index) == "fetch":
            following = script.text(index + 1)
            if following in {":", ",", "}"}:
                return True
            if following == "(" and script.text(script.end(index + 1) + 1) == "{":
                return True
    return False
