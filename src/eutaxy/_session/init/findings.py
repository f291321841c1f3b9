"""What was seen in the code of a Worker, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

HOLE = "\0"
"""Stands in a text for what only a run would tell."""

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

_URL = re.compile(r"https?://(?P<host>[^/?#\s]+)(?P<path>[^?#\s]*)", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An outbound call.

    Args:
        host: Its host, in lower case.
        path: Its path as a pattern: ":part" for a segment and "/*" for an end that is not known.
        method: Its method; None when it could not be seen.
        place: Where it is written.
    """

    host: str
    path: str
    method: str | None
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A kind of request that the Worker looks for.

    Args:
        path: Its path; a segment ":name" may be anything.
        method: Its method; None when it could not be seen.
        fields: Members that the code reads from its JSON body, in order.
        has_body: Whether the code reads its body as JSON.
        query: Parameters that the code reads from its query, in order.
        place: Where it is written.
    """

    path: str
    method: str | None
    fields: tuple[str, ...] = ()
    has_body: bool = False
    query: tuple[str, ...] = ()
    place: str


@dataclass(slots=True, kw_only=True)
class Findings:
    """All that was seen.

    Args:
        calls: Outbound calls whose URL could be seen.
        mentions: URLs that stand in the code, but not in a call that could be seen.
        routes: Kinds of requests, in the order of the code.
        unseen: What could not be seen, in sentences.
        has_fetch: Whether something answers requests.
    """

    calls: list[Call] = field(default_factory=list)
    mentions: list[Call] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    has_fetch: bool = False

    def add_url(self, url: str | None, method: str | None, place: str) -> None:
        """Keep the URL of a call, or say that it could not be seen."""
        call = call_to(url or "", method, place)
        if call is None:
            self.unseen.append(f"the URL of the call at {place}: declare the service it goes to")
        else:
            self.calls.append(call)

    def add_mention(self, url: str, place: str) -> None:
        """Keep a URL that stands in the code, unless a call to its host was seen."""
        call = call_to(url, None, place)
        if call is not None:
            self.mentions.append(call)

    def settle(self) -> None:
        """Drop what was found twice."""
        self.calls = list({(c.host, c.path, c.method): c for c in reversed(self.calls)}.values())
        self.calls.reverse()
        known = {call.host for call in self.calls}
        mentions = {m.host: m for m in reversed(self.mentions) if m.host not in known}
        self.mentions = list(reversed(mentions.values()))
        self.routes = list(_merged(self.routes))
        self.unseen = list(dict.fromkeys(self.unseen))


def _merged(routes: Iterable[Route]) -> Iterable[Route]:
    found: dict[tuple[str | None, str], Route] = {}
    for route in routes:
        known = found.get((route.method, route.path))
        if known is None or len(known.fields) < len(route.fields):
            found[route.method, route.path] = route
    methods = {path for method, path in found if method is not None}
    # A path that was seen with a method was seen without it only by looking less closely.
    return [each for each in found.values() if each.method or each.path not in methods]


def call_to(url: str, method: str | None, place: str) -> Call | None:
    """The call to a URL with holes; None when not even its host can be told."""
    found = _URL.match(url)
    if found is None:
        return None
    host = found["host"].lower()
    rest = ""
    if HOLE in host:
        host, _, rest = host.partition(HOLE)
        rest = HOLE + rest
        if "." not in host or host.endswith((".", ":")):
            return None
    if _HOST.fullmatch(host) is None:
        return None
    return Call(host=host, path=pattern_of(rest + found["path"]), method=method, place=place)


def pattern_of(path: str) -> str:
    """A path with holes as a pattern of the scenario API."""
    if path.startswith(HOLE):
        return "/*"
    segments = (path or "/").split("/")
    patterns = [":part" if HOLE in segment else segment for segment in segments]
    text = "/".join(patterns)
    return "/*" if re.search(r"[*{}\s]|[^/]:", text) else text


def route_of(pattern: str) -> str:
    """A path of a router as one with ":name" for what may be anything."""
    path = re.sub(r"\{[^}]*\}|[?]$", "", pattern)
    path = re.sub(r"<(?:\w+:)?(\w+)>", r":\1", path)
    path = re.sub(r"/\*.*$", "/:rest", path)
    return path.replace(HOLE, ":part")


_GROUP = re.compile(
    r"\((?:\?<(?P<name>\w+)>|\?P<(?P<other>\w+)>|\?:)?[^()]*\)\??|\[[^\]]*\][+*]?|\\[dw][+*]?"
)


def route_of_regex(regex: str) -> str | None:
    """The path that a regular expression is about; None when it is too clever."""
    if not regex.startswith("^"):
        return None
    text = regex[1:].removesuffix("$").replace("\\/", "/").removesuffix("/?")

    def parameter(found: re.Match[str]) -> str:
        return ":" + (found["name"] or found["other"] or "id")

    text = _GROUP.sub(parameter, text).replace("\\.", ".").replace("\\-", "-")
    return text if re.fullmatch(r"(/[\w:.~-]*)+", text) else None
