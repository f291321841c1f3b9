"""The requests that a bundled Worker looks for: routers, comparisons of paths, patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from eutaxy._session.init.findings import METHODS, Findings, Route, route_of, route_of_regex
from eutaxy._session.init.js_code import Branch, Code, Range
from eutaxy._session.init.js_tokens import Kind

_ROUTER_METHODS = {name.lower(): name for name in METHODS} | {"all": None, "del": "DELETE"}
_EQUAL, _UNEQUAL = {"===", "=="}, {"!==", "!="}
_REQUESTS = re.compile(r"req|request|c|ctx|context|event", re.IGNORECASE)
_WHOLE = re.compile(rf"({'|'.join(METHODS)}) (/\S*)")

Place = Callable[[int], str]


def find_routes(script: Code, findings: Findings, place: Place) -> None:
    """Add the routes of a script to what was found."""
    for index, (path, method, body) in sorted(_seen(script).items()):
        fields, has_body = _body_fields(script, body)
        findings.routes.append(
            Route(
                path=path,
                method=method or ("POST" if has_body else None),
                fields=fields,
                has_body=has_body,
                query=_query(script, body),
                place=place(script.tokens[index].offset),
            )
        )


_Seen = tuple[str, str | None, list[Range]]


def _seen(script: Code) -> dict[int, _Seen]:
    found: dict[int, _Seen] = {}
    for index, token in enumerate(script.tokens):
        if token.kind is Kind.TEXT and token.text.startswith("/") and "//" not in token.text:
            entry = _router(script, index) or _comparison(script, index)
            if entry is not None:
                found[index] = entry
        elif token.kind is Kind.TEXT and _WHOLE.fullmatch(token.text):
            method, path = token.text.split(" ", 1)
            found[index] = (route_of(path), method, [_case_body(script, index)])
        elif token.kind is Kind.REGEX:
            path_of_regex = route_of_regex(token.text)
            if path_of_regex is not None and "/" in path_of_regex:
                found[index] = (path_of_regex, *_guarded(script, index))
    found.update(_segments(script))
    return found


# -- routers ----------------------------------------------------------------------------------


def _router(script: Code, index: int) -> _Seen | None:
    """`app.get("/x", ...)` and `app.on("GET", "/x", ...)`."""
    opening = index - 1
    method: str | None = None
    if script.text(opening) == "," and script.text(opening - 2) == "(":
        method = script.string(opening - 1)
        opening -= 2
    name = script.text(opening - 1)
    if script.text(opening) != "(" or script.text(opening - 2) != ".":
        return None
    if name == "on" and method in METHODS:
        pass
    elif name in _ROUTER_METHODS and method is None and script.text(index + 1) == ",":
        method = _ROUTER_METHODS[name]
    else:
        return None
    prefix = _prefix(script, _owner(script, opening - 2))
    path = route_of(prefix + (script.string(index) or ""))
    path = path.rstrip("/") or "/"
    return path, method, [(index, script.end(opening))]


def _owner(script: Code, dot: int) -> str:
    """The variable at the beginning of a chain of calls that leads to `dot`."""
    index = dot - 1
    openings = {end: start for start, end in script.closing.items()}
    while script.text(index) in {")", "."} or script.text(index - 1) == ".":
        index = openings.get(index, index) - 1
    if script.text(index - 1) == "new" and script.text(index - 2) == "=":
        return script.text(index - 3)
    return script.text(index)


def _prefix(script: Code, owner: str, depth: int = 0) -> str:
    """What comes before the paths of a router: its basePath, and where it is mounted."""
    prefix = ""
    known = script.constant(owner, len(script.tokens))
    for index in range(*known) if known else ():
        if script.text(index) == "basePath":
            prefix = script.string(index + 2) or ""
            break
    for index in range(len(script.tokens)):
        if (
            script.text(index) == "route"
            and script.text(index - 1) == "."
            and script.text(index + 3) == ","
            and script.text(index + 4) == owner
            and depth < 5
        ):
            mounted = (script.string(index + 2) or "").rstrip("/")
            return _prefix(script, _owner(script, index - 1), depth + 1) + mounted + prefix
    return prefix


# -- comparisons ------------------------------------------------------------------------------


def _comparison(script: Code, index: int) -> _Seen | None:
    before, after = script.text(index - 1), script.text(index + 1)
    text = script.string(index) or ""
    if before == "case" and after == ":":
        return route_of(text), _method(script, index), [_case_body(script, index)]
    if before in _EQUAL or after in _EQUAL or before in _UNEQUAL or after in _UNEQUAL:
        return (route_of(text), *_guarded(script, index))
    if before == "(" and script.text(index - 2) == "startsWith":
        path = text + ":id" if text.endswith("/") and text != "/" else text
        return (route_of(path), *_guarded(script, index))
    if before == ":" and script.text(index - 2) == "pathname":
        return (route_of(text), *_guarded(script, index))
    return None


def _guarded(script: Code, index: int) -> tuple[str | None, list[Range]]:
    """The method that goes with a condition on the path, and the code that both lead to."""
    branch = next((b for b in script.branches if b.condition[0] <= index < b.condition[1]), None)
    if branch is None:
        return _method(script, index), [script.around(index)]
    is_negative = any(script.text(i) in _UNEQUAL for i in (index - 1, index + 1))
    rest = (branch.body[1], script.around(branch.condition[0])[1])
    return _method(script, index), [rest if is_negative else branch.body]


def _method(script: Code, index: int) -> str | None:
    around = [
        b
        for b in script.branches
        if b.condition[0] <= index < b.condition[1] or b.body[0] <= index < b.body[1]
    ]
    for branch in reversed(around):
        method = _compared_method(script, branch.condition, _EQUAL)
        if method is not None:
            return method
        if branch.condition[0] <= index < branch.condition[1]:
            method = _compared_method(script, branch.condition, _UNEQUAL)
            if method is not None:
                return method
    inner = [
        b for b in script.branches if b.body[0] <= index < b.body[1] and b.condition[1] <= index
    ]
    nested = _nested_method(script, index)
    if nested is not None:
        return nested
    return _guard_method(script, index, inner) or _case_method(script, index)


def _nested_method(script: Code, index: int) -> str | None:
    """The only method that is asked for inside of what a condition on the path guards."""
    branch = next((b for b in script.branches if b.condition[0] <= index < b.condition[1]), None)
    if branch is None:
        return None
    methods = {
        method
        for each in script.branches
        if branch.body[0] <= each.condition[0] < branch.body[1]
        for kinds in (_EQUAL, _UNEQUAL)
        for method in (_compared_method(script, each.condition, kinds),)
        if method is not None
    }
    return methods.pop() if len(methods) == 1 else None


def _guard_method(script: Code, index: int, inner: list[Branch]) -> str | None:
    """The method that an earlier `if (method !== ...) return` lets through."""
    for branch in reversed(script.branches):
        if branch.body[1] > index or branch in inner:
            continue
        start, end = script.around(branch.condition[0])
        method = _compared_method(script, branch.condition, _UNEQUAL)
        if method is not None and start < index < end:
            return method
    return None


def _case_method(script: Code, index: int) -> str | None:
    for each in range(index, 0, -1):
        method = script.string(each)
        if method in METHODS and script.text(each - 1) == "case":
            start, end = script.around(each)
            return method if start < index < end else None
    return None


def _compared_method(script: Code, inside: Range, marks: set[str]) -> str | None:
    for index in range(*inside):
        text = script.string(index)
        if text in METHODS and (script.text(index - 1) in marks or script.text(index + 1) in marks):
            return text
    return None


def _case_body(script: Code, index: int) -> Range:
    _, end = script.around(index)
    stop = index + 1
    while stop < end and script.text(stop) not in {"case", "default"}:
        stop = script.end(stop) + 1 if stop in script.closing else stop + 1
    if stop == index + 2 and script.text(stop) == "case":
        return _case_body(script, stop + 1)
    return index, stop


# -- paths that are split into segments -------------------------------------------------------


def _segments(script: Code) -> Iterator[tuple[int, _Seen]]:
    """Conditions on the parts of `pathname.split("/")`."""
    names = dict(_segment_names(script))
    if not names:
        return
    for branch in script.branches:
        for part in script.split(branch.condition, "||"):
            known = _known_segments(script, part, names)
            texts = {at: text for at, text in known.items() if text is not None}
            if texts:
                first = min(names.values())
                last = max(known)
                shown = {at: name for name, at in names.items()}
                segments = [
                    known.get(at) or ":" + shown.get(at, "id") for at in range(first, last + 1)
                ]
                method = _method(script, part[0])
                yield part[0], ("/" + "/".join(segments), method, [branch.body])


def _segment_names(script: Code) -> Iterator[tuple[str, int]]:
    for index in range(len(script.tokens)):
        if script.text(index) != "split" or script.string(index + 2) != "/":
            continue
        rest = {script.text(i) for i in range(index + 3, index + 9)}
        first = 0 if rest & {"filter", "slice"} else 1
        start = index
        while start > 0 and script.text(start) not in {"=", ";", "{"}:
            start -= 1
        openings = {end: opening for opening, end in script.closing.items()}
        if script.text(start) == "=" and script.text(start - 1) == "]":
            opening = openings[start - 1]
            for at, (begin, end) in enumerate(script.split((opening + 1, start - 1), ",")):
                if end > begin and at >= first:
                    yield script.text(begin), at - first + 1
        elif script.text(start) == "=":
            for at in range(first, 6):
                yield f"{script.text(start - 1)}[{at}]", at - first + 1


def _known_segments(script: Code, inside: Range, names: dict[str, int]) -> dict[int, str | None]:
    """Position of each segment of a condition to its text; None for any text."""
    known: dict[int, str | None] = {}
    for start, end in script.split(inside, "&&"):
        name = script.text(start)
        if script.text(start + 1) == "[":
            name = f"{name}[{script.tokens[start + 2].text}]"
        if name not in names:
            continue
        text = script.string(end - 1)
        if text is not None and script.text(end - 2) in _EQUAL:
            known[names[name]] = text
        elif script.text(end - 1) == name or script.text(start) == script.text(end - 1):
            known[names[name]] = None
    return known


# -- what is read from a request --------------------------------------------------------------


def _ranges(script: Code, body: list[Range]) -> list[Range]:
    """The code of a route, with that of the functions of the script that it names."""
    found = list(body)
    for start, end in body:
        for index in range(start, end):
            inner = script.function(script.text(index)) if script.text(index) else None
            if inner is not None and inner not in found:
                found.append(inner)
    return found


def _body_fields(script: Code, body: list[Range]) -> tuple[tuple[str, ...], bool]:
    fields: dict[str, None] = {}
    has_body = False
    for start, end in _ranges(script, body):
        for index in range(start, end):
            root = _root_of_json(script, index)
            if root is None:
                continue
            has_body = True
            fields |= dict.fromkeys(_read_from(script, index, root, end))
    if has_body:
        fields |= dict.fromkeys(_passed_on(script, _ranges(script, body)))
    return tuple(fields), has_body


def _passed_on(script: Code, ranges: list[Range]) -> Iterator[str]:
    """What a Workflow reads from payloads, when a route starts it or sends it an event."""
    words = {script.text(index) for start, end in ranges for index in range(start, end)}
    for is_event, sender in ((False, "create"), (True, "sendEvent")):
        if sender in words:
            yield from _payload_fields(script, is_event=is_event)


def _payload_fields(script: Code, *, is_event: bool) -> Iterator[str]:
    for index in range(len(script.tokens)):
        if script.text(index) != "payload" or script.text(index - 1) != ".":
            continue
        known = script.constant(script.text(index - 2), index)
        awaited = known is not None and any(
            script.text(at) == "waitForEvent" for at in range(*known)
        )
        if awaited is not is_event:
            continue
        _, end = script.around(index)
        if script.text(index + 1) == ".":
            yield script.text(index + 2)
        elif script.text(index - 3) == "=":
            yield from _read_from(script, index, index - 2, end)


def _root_of_json(script: Code, index: int) -> int | None:
    """Where `request.json()` begins, for its `json`; None when it is of something else."""
    if script.text(index) != "json" or script.text(index - 1) != ".":
        return None
    if script.text(index + 1) != "(" or script.end(index + 1) != index + 2:
        return None
    root = index - 2
    while script.text(root - 1) == ".":
        root -= 2
    return root if _REQUESTS.fullmatch(script.text(root)) else None


def _read_from(script: Code, index: int, root: int, end: int) -> Iterator[str]:
    start = root - 1 if script.text(root - 1) == "await" else root
    if script.text(start - 1) == "(" and script.text(index + 3) == ")":
        if script.text(index + 4) == ".":
            yield script.text(index + 5)
        return
    if script.text(start - 1) != "=":
        return
    if script.text(start - 2) == "}":
        openings = {close: opening for opening, close in script.closing.items()}
        for first, _ in script.arguments(openings[start - 2]):
            if script.text(first) != "...":
                yield script.text(first)
        return
    name = script.text(start - 2)
    for at in range(index, end):
        is_read = script.text(at) == name and script.text(at + 1) in {".", "?."}
        if is_read and script.text(at - 1) != "." and script.text(at + 3) != "(":
            yield script.text(at + 2)
        for part in script.tokens[at].parts:
            if not isinstance(part, str):
                words = [token.text for token in part]
                yield from (
                    words[i + 2]
                    for i in range(len(words) - 2)
                    if words[i] == name and words[i + 1] == "."
                )


def _query(script: Code, body: list[Range]) -> tuple[str, ...]:
    names = (
        script.string(index + 4)
        for start, end in body
        for index in range(start, end)
        if script.text(index) == "searchParams" and script.text(index + 2) == "get"
    )
    return tuple(dict.fromkeys(name for name in names if name))
