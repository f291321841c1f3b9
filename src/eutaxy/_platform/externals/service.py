"""A declared external service: its answers, and the ledger of what it has applied.

The ledger keeps what matters for the future: the idempotency keys that were used, each with the
answer that a repetition gets; which of the requests that answers depend on have been applied; the
service's own state; and how long an outage still lasts. A deduplicated repetition is answered and
is not a new effect. Everything else (how often something happened) belongs to monitors.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from eutaxy._base.code import Effect, Outcome, Returned
from eutaxy._base.functions import ScenarioFunctions
from eutaxy._base.note import Reached
from eutaxy._base.observation import Happened
from eutaxy._base.requests import matches_path, request_view, response_view
from eutaxy._base.scenario import External, Seen
from eutaxy._base.value import Plain, Value, encode
from eutaxy._platform.call import (
    FLIGHT,
    LOST,
    Answered,
    BeginOutage,
    Fate,
    Fly,
    KeyUsed,
    Launch,
    Observers,
    Perform,
)
from eutaxy._platform.externals.answers import Reply, choose_reply, idempotency_key
from eutaxy._world.component import Address, Choice, Local, Step


def external_address(name: str) -> Address:
    """Address of a declared service."""
    return ("external", name)


@dataclass(frozen=True, slots=True)
class Used:
    """A used idempotency key.

    Args:
        key: The key.
        answer: What a repetition is answered.
        left_ms: How long it is still remembered; None for good.
    """

    key: str
    answer: Value
    left_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a service has applied.

    Args:
        used: Used idempotency keys, by key.
        applied: Request patterns that some answer depends on and that were applied.
        state: State of a stateful service.
        out_ms: How long an outage still lasts; 0 for none.
        is_answering_out: In an outage, requests still do their work and only answers are lost.
    """

    used: tuple[Used, ...] = ()
    applied: tuple[str, ...] = ()
    state: Value | None = None
    out_ms: int = 0
    is_answering_out: bool = False


class Service:
    """The component of one external.

    Args:
        external: Its declaration.
        observers: Who wants to hear of applied effects.
        functions: Functions of the scenario.
    """

    def __init__(
        self, external: External, observers: Observers, functions: ScenarioFunctions
    ) -> None:
        self._external = external
        self._observers = observers
        self._functions = functions
        self._target = f"Fetch:{external.name}"
        self._remembered = sorted({each.once for each in external.responses if each.once})

    def initial(self) -> Local:
        """An empty ledger."""
        stateful = self._external.stateful
        return Ledger(state=stateful.initial if stateful is not None else None)

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None: services only answer."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never: it runs no user code."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """The end of an outage, or of a key's window."""
        assert isinstance(local, Ledger)
        left = [used.left_ms for used in local.used if used.left_ms is not None]
        if local.out_ms:
            left.append(local.out_ms)
        return min(left) if left else None

    def tick(self, local: Local, ms: int) -> Local:
        """Outages end; keys are forgotten after their window."""
        assert isinstance(local, Ledger)
        used = tuple(
            each if each.left_ms is None else replace(each, left_ms=each.left_ms - ms)
            for each in local.used
            if each.left_ms is None or each.left_ms > ms
        )
        return replace(local, used=used, out_ms=max(0, local.out_ms - ms))

    def on(self, local: Local, message: Hashable) -> Step:
        """Apply a request and answer it; a repeated idempotency key gets the first answer."""
        assert isinstance(local, Ledger)
        if isinstance(message, Launch):
            return self._launch(local, message)
        if isinstance(message, BeginOutage):
            return Step(self._out(local, is_answering_out=False))
        assert isinstance(message, Perform)
        shown = f"{self._target} {message.effect.operation}"
        if local.out_ms and not local.is_answering_out:
            return self._answered(local, message, LOST, f"{shown} (service out)")
        view = request_view(message.effect.args)
        key = idempotency_key(self._external.dedupe, view, self._functions)
        for used in local.used:
            if used.key == key:
                again = Reply(used.answer, local.state)
                return self._replied(local, local, message, again, f"{shown} (deduplicated)")
        reply = choose_reply(
            self._external, message.effect, view, local.applied, local.state, self._functions
        )
        after = self._applied(local, message.effect, view, reply, key)
        told = self._told(message, view, reply, is_keyed=key is not None) if reply.applied else ()
        out: list[tuple[Address, Hashable]] = list(told)
        if key is not None:
            out.append((FLIGHT, KeyUsed((self._external.name, key))))
        step = self._replied(local, after, message, reply, shown)
        return replace(step, out=(*out, *step.out))

    def _replied(
        self, before: Ledger, after: Ledger, message: Perform, reply: Reply, shown: str
    ) -> Step:
        """Send a reply on its way; in an outage of answers it is lost, and one may begin here."""
        outcome: Outcome = Returned(reply.answer)
        if before.out_ms:
            outcome, shown = LOST, f"{shown} (answers out)"
        if message.back.fate is Fate.ANSWERS_OUTAGE:
            after = self._out(after, is_answering_out=True)
        step = self._answered(after, message, outcome, shown, latency_ms=reply.latency_ms)
        if reply.response is None:
            return step
        given = Reached("response", self._external.name, reply.response)
        return replace(step, notes=(*step.notes, given))

    def _answered(
        self, local: Ledger, message: Perform, outcome: Outcome, shown: str, latency_ms: int = 0
    ) -> Step:
        answered = Answered(message.back, outcome, shown, latency_ms)
        called = Reached("external", self._external.name)
        return Step(local, ((message.back.owner, answered),), (called,))

    def _applied(
        self, local: Ledger, effect: Effect, view: dict[str, Plain], reply: Reply, key: str | None
    ) -> Ledger:
        after = replace(local, state=reply.state)
        for request in self._remembered:
            method, _, pattern = request.partition(" ")
            is_it = method == effect.operation and matches_path(pattern, str(view["path"]))
            if is_it and request not in after.applied:
                after = replace(after, applied=tuple(sorted((*after.applied, request))))
        if key is not None:
            dedupe = self._external.dedupe
            assert dedupe is not None
            used = (*after.used, Used(key, reply.answer, dedupe.window_ms))
            after = replace(after, used=tuple(sorted(used, key=lambda each: each.key)))
        return after

    def _told(
        self, message: Perform, view: dict[str, Plain], reply: Reply, *, is_keyed: bool
    ) -> tuple[tuple[Address, Hashable], ...]:
        operation = message.effect.operation
        observers = self._observers(Seen.FETCH, self._external.name, operation)
        if not observers:
            return ()
        happened = Happened(
            seen=Seen.FETCH,
            target=self._external.name,
            operation=operation,
            path=str(view["path"]),
            view=encode({"args": view, "answer": response_view(reply.answer)}),
            shown=f"{self._target} {operation}",
            origin=message.origin,
            is_unkeyed=self._external.dedupe is not None and not is_keyed,
        )
        return tuple((observer, happened) for observer in observers)

    def _out(self, local: Ledger, *, is_answering_out: bool) -> Ledger:
        assert self._external.outage_ms is not None
        return replace(local, out_ms=self._external.outage_ms, is_answering_out=is_answering_out)

    def _launch(self, local: Ledger, launch: Launch) -> Step:
        view = request_view(launch.effect.args)
        key = idempotency_key(self._external.dedupe, view, self._functions)
        if key is not None and any(used.key == key for used in local.used):
            return Step(local)
        here = external_address(self._external.name)
        fly = Fly(here, launch, None if key is None else (self._external.name, key))
        return Step(local, ((FLIGHT, fly),))
