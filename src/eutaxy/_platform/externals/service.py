"""A declared external service: its answers, and the ledger of what it has applied.

The ledger keeps what matters for the future: the idempotency keys that were used, each with the
answer that a repetition gets, and which of the requests that answers depend on have been applied.
A deduplicated repetition is answered and is not a new effect. Everything else (how often something
happened) belongs to monitors.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from eutaxy._base.code import Effect, Returned
from eutaxy._base.observation import Happened
from eutaxy._base.scenario import CannedResponse, External
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._platform.call import FLIGHT, Answered, Fly, KeyUsed, Launch, Observers, Perform
from eutaxy._world.component import Address, Choice, Local, Step
from eutaxy.errors import ScenarioError


def external_address(name: str) -> Address:
    """Address of a declared service."""
    return ("external", name)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a service has applied.

    Args:
        answered: Used idempotency keys with the answer each got, in the order of the keys.
        applied: Requests ("POST /charges") that some answer depends on and that were applied.
    """

    answered: tuple[tuple[str, Value], ...] = ()
    applied: tuple[str, ...] = ()


class Service:
    """The component of one external.

    Args:
        external: Its declaration.
        observers: Who wants to hear of applied effects.
    """

    def __init__(self, external: External, observers: Observers) -> None:
        self._external = external
        self._observers = observers
        self._target = f"Fetch:{external.name}"
        self._remembered = {each.once for each in external.responses if each.once}

    def initial(self) -> Local:
        """An empty ledger."""
        return Ledger()

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None: services only answer."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never: it runs no user code."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """None."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Nothing in it depends on time."""
        return local

    def on(self, local: Local, message: Hashable) -> Step:
        """Apply a request and answer it; a repeated idempotency key gets the first answer."""
        assert isinstance(local, Ledger)
        if isinstance(message, Launch):
            return self._launch(local, message)
        assert isinstance(message, Perform)
        effect = message.effect
        shown = f"{self._target} {effect.operation}"
        key = self._key(effect)
        for used, answer in local.answered:
            if used == key:
                back = Answered(message.back, Returned(answer), f"{shown} (deduplicated)")
                return Step(local, ((message.back.owner, back),))
        request = f"{effect.operation} {_path(effect)}"
        outcome = Returned(self._answer(local, effect))
        after = local
        if request in self._remembered and request not in local.applied:
            after = replace(local, applied=tuple(sorted((*local.applied, request))))
        if key is not None:
            after = replace(after, answered=tuple(sorted((*local.answered, (key, outcome.value)))))
        view = encode(fetch_view(effect.args))
        happened = Happened(self._target, effect.operation, view)
        told = tuple(
            (observer, happened) for observer in self._observers(self._target, effect.operation)
        )
        back = Answered(message.back, outcome, shown)
        out: list[tuple[Address, Hashable]] = list(told)
        if key is not None:
            out.append((FLIGHT, KeyUsed((self._external.name, key))))
        return Step(after, (*out, (message.back.owner, back)))

    def _launch(self, local: Ledger, launch: Launch) -> Step:
        key = self._key(launch.effect)
        if any(used == key for used, _ in local.answered):
            return Step(local)
        here = external_address(self._external.name)
        fly = Fly(here, launch, None if key is None else (self._external.name, key))
        return Step(local, ((FLIGHT, fly),))

    def _key(self, effect: Effect) -> str | None:
        if self._external.dedupe_by is None:
            return None
        headers = _mapping(effect.args).get("headers")
        assert isinstance(headers, dict)
        key = headers.get(self._external.dedupe_by)
        return key if isinstance(key, str) else None

    def _answer(self, local: Ledger, effect: Effect) -> Value:
        path = _path(effect)
        for response in self._external.responses:
            if response.once and response.once not in local.applied:
                continue
            if response.method == effect.operation and response.path == path:
                return _response_value(response)
        declared = ", ".join(f"{each.method} {each.path}" for each in self._external.responses)
        raise ScenarioError(
            f"answering {effect.operation} {_url(effect)} from external {self._external.name!r}",
            f"no declared response matches {effect.operation} {path}; declared: "
            + (declared or "none"),
            f"add {{ method: {effect.operation!r}, path: {path!r}, status: ... }} to its responses",
            place=effect.place,
        )


def external_of(externals: tuple[External, ...], effect: Effect) -> External:
    """The external that an outbound request goes to.

    Raises:
        ScenarioError: No external is declared for that host.
    """
    url = str(_mapping(effect.args)["url"])
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


def fetch_view(args: Value) -> dict[str, Plain]:
    """The arguments of an outbound request as key paths see them: a JSON body is parsed."""
    view = dict(_mapping(args))
    body = view.get("body")
    if isinstance(body, str):
        with contextlib.suppress(ValueError):
            view["body"] = decode(Value(body))
    return view


def _response_value(response: CannedResponse) -> Value:
    return encode(
        {
            "status": response.status,
            "headers": dict(response.headers),
            "body": response.body or None,
        }
    )


def _url(effect: Effect) -> str:
    return str(_mapping(effect.args)["url"])


def _path(effect: Effect) -> str:
    return urlsplit(_url(effect)).path


def _mapping(value: Value) -> dict[str, Plain]:
    tree = decode(value)
    assert isinstance(tree, dict)
    return tree
