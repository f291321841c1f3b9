"""What a declared service answers: canned responses, functions of its state, idempotency keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from eutaxy._base.code import Effect
from eutaxy._base.functions import ScenarioFunctions
from eutaxy._base.requests import holds, look_up, matches_path, what_is_there
from eutaxy._base.scenario import CannedResponse, Dedupe, External, Stateful
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy.errors import ScenarioError

_ECHO = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
_ECHO_ALONE = re.compile(rf'"{_ECHO.pattern}"')


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with what it does to the service.

    Args:
        answer: {"status", "headers", "body"}.
        state: The state afterwards, for a stateful service.
        applied: Whether the request was an effect.
        latency_ms: Virtual time until the answer arrives.
        response: Which declared response it is, from 0; None for no such one.
    """

    answer: Value
    state: Value | None
    applied: bool = True
    latency_ms: int = 0
    response: int | None = None


def idempotency_key(
    dedupe: Dedupe | None, view: dict[str, Plain], functions: ScenarioFunctions
) -> str | None:
    """The key by which a service deduplicates a request; None when it carries none."""
    if dedupe is None:
        return None
    if dedupe.function is not None:
        key = decode(functions.call(dedupe.function, encode(view)))
        return None if key is None else str(encode(key))
    path = f"headers.{dedupe.header}" if dedupe.header else ""
    tree: Plain = view if dedupe.header else {"args": view}
    found, is_there = look_up(tree, path or dedupe.key_path)
    if not is_there or found is None:
        return None
    return found if isinstance(found, str) else str(encode(found))


def choose_reply(
    external: External,
    effect: Effect,
    view: dict[str, Plain],
    applied: tuple[str, ...],
    state: Value | None,
    functions: ScenarioFunctions,
) -> Reply:
    """The answer of a service to a request that it has not seen under the same key.

    Raises:
        ScenarioError: No declared response matches.
    """
    if external.stateful is not None:
        assert state is not None
        return _stateful_reply(external.stateful, external, view, state, functions)
    path = str(view["path"])
    for index, response in enumerate(external.responses):
        if response.once and response.once not in applied:
            continue
        if response.method != effect.operation or not matches_path(response.path, path):
            continue
        if holds({"args": view}, response.when):
            answer = _canned(response, view)
            return Reply(answer, state, latency_ms=response.latency_ms, response=index)
    declared = ", ".join(f"{each.method} {each.path}" for each in external.responses)
    raise ScenarioError(
        f"answering {effect.operation} {view['url']} from external {external.name!r}",
        f"no declared response matches {effect.operation} {path}; declared: {declared or 'none'}",
        f"add {{ method: {effect.operation!r}, path: {path!r}, status: ... }} to its responses",
        place=effect.place,
    )


def external_of(externals: tuple[External, ...], effect: Effect) -> External:
    """The external that an outbound request goes to.

    Raises:
        ScenarioError: No external is declared for that host.
    """
    args = decode(effect.args)
    assert isinstance(args, dict)
    url = str(args["url"])
    host = urlsplit(url).netloc
    for external in externals:
        if external.host == host:
            return external
    declared = ", ".join(external.host for external in externals)
    raise ScenarioError(
        f"answering {effect.operation} {url}",
        f"no external is declared for host {host!r}; declared hosts: {declared or 'none'}",
        f'declare it: external("{host.split(".")[0]}", "{host}", {{ responses: [...] }})',
        place=effect.place,
    )


def _stateful_reply(
    stateful: Stateful,
    external: External,
    view: dict[str, Plain],
    state: Value,
    functions: ScenarioFunctions,
) -> Reply:
    argument = encode({"request": view, "state": decode(state)})
    told = decode(functions.call(stateful.function, argument))
    response = told.get("response") if isinstance(told, dict) else None
    if not isinstance(told, dict) or "state" not in told or not isinstance(response, dict):
        raise ScenarioError(
            f"answering {view['method']} {view['url']} from external {external.name!r}",
            f"its handle function returned {told!r}",
            "return { state, response: { status, headers, body } }",
            place=external.place,
        )
    body = response.get("body")
    headers = response.get("headers")
    text = body if isinstance(body, str) or body is None else encode(body)
    answer: dict[str, Plain] = {
        "status": response.get("status", 200),
        "headers": headers if isinstance(headers, dict) else {"content-type": "application/json"},
        "body": text,
    }
    return Reply(encode(answer), encode(told["state"]), told.get("applied", True) is not False)


def _canned(response: CannedResponse, view: dict[str, Plain]) -> Value:
    body = response.body
    if response.is_echoing:
        body = _echoing(response, view)
    headers: dict[str, Plain] = dict(response.headers)
    return encode({"status": response.status, "headers": headers, "body": body or None})


def _echoing(response: CannedResponse, view: dict[str, Plain]) -> str:
    """The body with what the request has.

    In JSON, a text that is nothing but a key path becomes the value itself, of whatever type.
    """

    def text(found: re.Match[str]) -> str:
        value = _echoed(response, found[1], view)
        return value if isinstance(value, str) else str(encode(value))

    def value(found: re.Match[str]) -> str:
        return str(encode(_echoed(response, found[1], view)))

    def part(found: re.Match[str]) -> str:
        return encode(text(found))[1:-1]

    body = response.body
    if not dict(response.headers).get("content-type", "").startswith("application/json"):
        return _ECHO.sub(text, body)
    return _ECHO.sub(part, _ECHO_ALONE.sub(value, body))


def _echoed(response: CannedResponse, path: str, view: dict[str, Plain]) -> Plain:
    tree: Plain = {"args": view}
    found, is_there = look_up(tree, path)
    if is_there:
        return found
    raise ScenarioError(
        f"answering {view['method']} {view['url']} with an echo of {path!r}",
        what_is_there(tree, path),
        "correct the key path, or let `when` select only requests that have it",
        place=response.place,
    )
