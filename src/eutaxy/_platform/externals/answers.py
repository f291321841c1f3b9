"""What a declared service answers: canned responses, functions of its state, idempotency keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from eutaxy._base.code import Effect
from eutaxy._base.functions import ScenarioFunctions
from eutaxy._base.requests import holds, look_up, matches_path
from eutaxy._base.scenario import CannedResponse, Dedupe, External, Stateful
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy.errors import ScenarioError

_ECHO = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with what it does to the service.

    Args:
        answer: {"status", "headers", "body"}.
        state: The state afterwards, for a stateful service.
        applied: Whether the request was an effect.
        latency_ms: Virtual time until the answer arrives.
    """

    answer: Value
    state: Value | None
    applied: bool = True
    latency_ms: int = 0


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
    for response in external.responses:
        if response.once and response.once not in applied:
            continue
        if response.method != effect.operation or not matches_path(response.path, path):
            continue
        if holds({"args": view}, response.when):
            return Reply(_canned(response, view), state, latency_ms=response.latency_ms)
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
        body = _ECHO.sub(lambda found: _echoed(found[1], view), body)
    headers: dict[str, Plain] = dict(response.headers)
    return encode({"status": response.status, "headers": headers, "body": body or None})


def _echoed(path: str, view: dict[str, Plain]) -> str:
    found, is_there = look_up({"args": view}, path)
    if not is_there:
        return ""
    return found if isinstance(found, str) else str(encode(found))
