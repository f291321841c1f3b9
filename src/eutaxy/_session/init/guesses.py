"""From what was seen in the code to the parts of a first scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from eutaxy._session.init.findings import Call, Findings, Route

Json = str | int | bool | dict[str, "Json"] | list["Json"]

_ID = re.compile(r"(^|[a-z_])(id|key|number|no|ref|reference)$|Id$|ID$", re.IGNORECASE)
_COUNT = re.compile(
    r"amount|cents|price|total|count|quantity|qty|sum|balance|limit|size|age|days|seats|units",
    re.IGNORECASE,
)
_FLAG = re.compile(r"^(is|has|can)[A-Z_]|approved|accepted|confirmed|enabled|active|ok$|paid$")
_TOO_COMMON = {"api", "www", "app", "com", "net", "org", "io", "dev"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestGuess:
    """A driver request, with where the code looks for it."""

    method: str
    path: str
    body: dict[str, Json] | None
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalGuess:
    """An outside service.

    Args:
        name: What the scenario calls it.
        host: Its host.
        responses: Method and path of each request that it answers, with where the code makes it.
        is_certain: A call to it was seen, not only its URL.
    """

    name: str
    host: str
    responses: tuple[tuple[str, str, str], ...]
    is_certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """All that the scenario file says beyond names and files."""

    requests: tuple[RequestGuess, ...]
    externals: tuple[ExternalGuess, ...]
    suggestion: tuple[str, str] | None = field(default=None)
    """Name of an external and of a member of what it gets: the invariant to begin with."""


def guess_from(findings: Findings) -> Guess:
    """What a first scenario should say."""
    routes = sorted(findings.routes, key=lambda route: ":" in route.path)
    requests = tuple(dict.fromkeys(_request_key(route) for route in routes))
    by_key = {_request_key(route): route for route in reversed(routes)}
    externals = tuple(_externals(findings))
    return Guess(
        requests=tuple(_request(by_key[key]) for key in requests),
        externals=externals,
        suggestion=_suggestion(externals, findings.routes),
    )


def _request_key(route: Route) -> tuple[str, str]:
    return route.method or "GET", route.path


def _request(route: Route) -> RequestGuess:
    method = route.method or "GET"
    path = re.sub(
        r":(\w+)[?*+]?", lambda found: str(_example(found[1], is_in_path=True)), route.path
    )
    if route.query:
        path += "?" + "&".join(f"{name}={_example(name, is_in_path=True)}" for name in route.query)
    body: dict[str, Json] | None = None
    if method in {"POST", "PUT", "PATCH"} and (route.has_body or route.fields):
        body = {name: _example(name) for name in route.fields}
    return RequestGuess(method=method, path=path, body=body, place=route.place)


def _example(name: str, *, is_in_path: bool = False) -> Json:
    """A value that fits a name; the same for all ids, so that they mean the same thing."""
    if _ID.search(name):
        return "id-1"
    if _FLAG.search(name) and not is_in_path:
        return True
    if _COUNT.search(name) and not is_in_path:
        return 100
    if "email" in name.lower():
        return "someone@mail.example" if not is_in_path else "someone"
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower() or 'part'}-1"


def _externals(findings: Findings) -> Iterable[ExternalGuess]:
    names: set[str] = set()
    hosts = dict.fromkeys(call.host for call in (*findings.calls, *findings.mentions))
    for host in hosts:
        calls = [call for call in findings.calls if call.host == host]
        mentions = [call for call in findings.mentions if call.host == host]
        name = _name(host, names)
        names.add(name)
        yield ExternalGuess(
            name=name,
            host=host,
            responses=tuple(_responses(calls or mentions)),
            is_certain=bool(calls),
        )


def _responses(calls: Sequence[Call]) -> list[tuple[str, str, str]]:
    """Fixed paths come first: responses are tried in order, and none may hide another."""
    given: dict[tuple[str, str], str] = {}
    for call in calls:
        for method in (call.method,) if call.method else ("GET", "POST"):
            given.setdefault((method, call.path), call.place)
    ordered = sorted(given, key=lambda each: (each[1].endswith("*"), each[1].count(":")))
    return [(method, path, given[method, path]) for method, path in ordered]


def _name(host: str, taken: set[str]) -> str:
    labels = host.split(":", maxsplit=1)[0].split(".")
    wanted = next((label for label in labels[:-1] if label not in _TOO_COMMON), labels[0])
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def _suggestion(
    externals: Sequence[ExternalGuess], routes: Sequence[Route]
) -> tuple[str, str] | None:
    for external in externals:
        if external.is_certain and any(method == "POST" for method, _, _ in external.responses):
            fields = [name for route in routes for name in route.fields]
            key = next((name for name in fields if _ID.search(name)), "id")
            return external.name, key
    return None
