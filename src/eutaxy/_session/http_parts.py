"""Reading the parts of requests and responses: targets, methods, headers, bodies, times."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from eutaxy._base.duration import parse_duration
from eutaxy._base.value import NULL, Value, encode
from eutaxy._session.declared import Members, describe, near_miss

_ORIGIN = "https://worker.example"
_STANDARD_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_FORBIDDEN_METHODS = ("CONNECT", "TRACE", "TRACK")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_URL_CHARACTERS = re.compile(r"[!-~]+")
_HEADER_CHARACTER_MAX = 0xFF
JSON_TYPE = "application/json"
TEXT_TYPE = "text/plain;charset=UTF-8"


def read_headers(members: Members, content_type: str | None) -> tuple[tuple[str, str], ...]:
    """Headers in lower case, with the content type of the body unless the user gave one."""
    given = members.optional("headers")
    tree = {} if given is None else given
    if not isinstance(tree, dict) or "$eutaxy" in tree:
        raise members.mistyped("headers", given, "an object of texts")
    headers: dict[str, str] = {}
    for name, value in tree.items():
        if _TOKEN.fullmatch(name) is None:
            raise members.wrong(f'"{name}" is no name of a header', "correct it", word=name)
        if not isinstance(value, str) or re.search(r"[\r\n\0]", value):
            found = f"header {name} is {describe(value, members.source)}"
            raise members.wrong(found, "make it a text on one line", word=name)
        if any(ord(character) > _HEADER_CHARACTER_MAX for character in value):
            found = f"header {name} has a character that no header can carry"
            raise members.wrong(found, "use characters up to U+00FF, or encode it", word=name)
        if name.lower() in headers:
            raise members.wrong(f"header {name} is given twice", "keep one of them", word=name)
        headers[name.lower()] = value
    if content_type is not None:
        headers.setdefault("content-type", content_type)
    return tuple(headers.items())


def read_duration(members: Members, name: str, default: int) -> int:
    """A span of virtual time: milliseconds or text."""
    written = members.optional(name)
    if written is None:
        return default
    wanted = 'milliseconds, or text such as "10 seconds"'
    if isinstance(written, bool) or not isinstance(written, (int, float, str)):
        raise members.mistyped(name, written, wanted)
    duration = parse_duration(written)
    if duration.unknown_unit:
        shown = members.source.spell(name)
        found = f'`{shown}` is "{written}", which Workflows would read as {duration.ms} ms'
        remedy = "write the unit in full: second, minute, hour, day, week (or a plain number of ms)"
        raise members.wrong(found, remedy, word=shown)
    if duration.ms is None or duration.ms < 0:
        raise members.mistyped(name, written, wanted)
    return duration.ms


def read_method(members: Members, name: str, default: str) -> str:
    """An HTTP method that may be left out, standard ones in upper case."""
    method = members.optional_text(name, "the name of an HTTP method")
    return default if method is None else checked_method(members, name, method)


def checked_method(members: Members, name: str, method: str) -> str:
    """A method, seen to be one; standard ones in upper case."""
    upper = method.upper()
    if upper in _STANDARD_METHODS:
        return upper
    if _TOKEN.fullmatch(method) is None or upper in _FORBIDDEN_METHODS:
        found = f'`{name}` is "{method}", which is no method that can be sent'
        raise members.wrong(found, f"use one of {', '.join(_STANDARD_METHODS)}", word=method)
    hint = near_miss(upper, _STANDARD_METHODS)
    if hint:
        found = f'`{name}` is "{method}"{hint}'
        raise members.wrong(found, f"use one of {', '.join(_STANDARD_METHODS)}", word=method)
    return method


def read_url(members: Members) -> str:
    """The whole URL of a request, which has a `path` or a `url`."""
    if members.has("url"):
        url = members.text("url", "a URL")
        if members.has("path"):
            remedy = "keep `path` for the host worker.example, or `url` for another one"
            raise members.wrong("it has both `path` and `url`", remedy, word="url")
        members.optional("path")
        try:
            parts = urlsplit(url)
            is_good = parts.scheme in {"http", "https"} and bool(parts.hostname)
        except ValueError:
            is_good = False
        if not is_good or _URL_CHARACTERS.fullmatch(url) is None:
            found = f'`url` is "{url}", which is no http(s) URL'
            raise members.wrong(found, "write it whole: https://worker.example/path", word="url")
        return url
    path = members.text("path", "a path from `/`, or `url` with a whole URL")
    members.optional("url")
    check_path(members, "path", path)
    return _ORIGIN + path


def check_path(members: Members, name: str, path: str) -> None:
    """See that a path begins with one slash and can stand in a URL."""
    if not path.startswith("/") or path.startswith("//"):
        raise members.wrong(
            f'`{name}` is "{path}", but a path starts with one /',
            f'write "/{path.lstrip("/")}"',
            word=path,
        )
    if _URL_CHARACTERS.fullmatch(path) is None:
        found = f'`{name}` is "{path}", which has characters that a URL cannot have'
        raise members.wrong(found, "percent-encode them (a space is %20)", word=name)


def read_body(given: Any) -> tuple[Value, str | None]:  # noqa: ANN401 - made by the scenario API
    """A body as a value, and the content type that goes with it."""
    if given is None:
        return NULL, None
    if "bytes" in given:
        return encode({"$": "bytes", "as": "Uint8Array", "of": given["bytes"]}), None
    if "text" in given:
        return encode(given["text"]), TEXT_TYPE
    return encode(given["json"]), JSON_TYPE


def targets_of(trees: list[Any]) -> list[str | None]:
    """The path or URL of each request or response, by which it is found in the scenario file."""
    targets = [
        tree.get("url", tree.get("path")) if isinstance(tree, dict) else None for tree in trees
    ]
    return [target if isinstance(target, str) else None for target in targets]
