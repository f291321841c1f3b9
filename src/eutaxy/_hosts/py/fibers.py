"""Fibers: whose code is running, what it has asked for, how it ended.

A fiber is known by a context variable, so that an effect belongs to the fiber whose code issued it,
whichever fiber received the answer that woke it.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from random import Random
from typing import Any

from eutaxy._hosts.py import codec
from eutaxy._hosts.py.jserrors import JsException
from eutaxy._hosts.py.jsvalues import JsObject
from eutaxy._hosts.py.loop import CALL_SITE
from eutaxy._hosts.py.moment import Phase, moment
from eutaxy._hosts.py.promise import JsPromise, rejected
from eutaxy._hosts.py.reports import Abandoned
from eutaxy._hosts.py.sources import calling_frame

CURRENT: contextvars.ContextVar[Fiber] = contextvars.ContextVar("fiber")

Parts = dict[str, Callable[..., Any]]
"""Functions of a STEP effect that an `invoke` move may call, by the protocol's names."""

Receive = Callable[[Any], Any]
"""Makes what user code gets of a decoded answer."""


class Asked:
    """An effect as this side remembers it.

    Args:
        settle: How to answer it; None once that is done.
        parts: What may be called of it.
    """

    def __init__(
        self, settle: Callable[[Any, JsException | None], None], parts: Parts | None = None
    ) -> None:
        self.settle: Callable[[Any, JsException | None], None] | None = settle
        self.parts = parts if parts is not None else {}


class Fiber:
    """One fiber of an evaluation.

    Args:
        index: Its number, 0 for the entry.
        salt: Seeds its randomness.
    """

    def __init__(self, index: int, salt: str) -> None:
        self.index = index
        self.asked: dict[int, Asked] = {}
        self.news: list[dict[str, Any]] = []
        self.cancelled: list[int] = []
        self.outcome: dict[str, str] | None = None
        self.holds = 0
        self.was_told_ended = False
        self.was_told_held = False
        self.is_seeded_by_user = False
        self._salt = salt
        self._chance: Random | None = None

    @property
    def chance(self) -> Random:
        """The generator that all randomness of this fiber is drawn from."""
        if self._chance is None:
            self._chance = Random(f"fiber {self._salt}")  # noqa: S311 - it must be repeatable
        return self._chance

    def ask(self, effect: dict[str, Any], asked: Asked) -> int:
        """Record an effect; returns its ordinal, which is its place in call order."""
        ordinal = len(self.asked) + 1
        self.asked[ordinal] = asked
        self.news.append({"ordinal": ordinal, **effect})
        return ordinal

    def cancel(self, ordinal: int) -> None:
        """Take an effect back that only its own code could notice (a timer)."""
        asked = self.asked[ordinal]
        if asked.settle is not None:
            asked.settle = None
            self.cancelled.append(ordinal)

    def reaction(self) -> dict[str, Any] | None:
        """What is new since the last call; None when nothing is."""
        is_ended_now = self.outcome is not None and not self.was_told_ended
        is_held = self.outcome is not None and self.holds > 0
        is_anything_new = self.news or self.cancelled or is_ended_now
        if not is_anything_new and not is_held and not self.was_told_held:
            return None
        told: dict[str, Any] = {"fiber": self.index, "effects": self.news}
        if self.cancelled:
            told["cancelled"] = self.cancelled
        self.news, self.cancelled = [], []
        if is_ended_now and self.outcome is not None:
            told |= self.outcome
            self.was_told_ended = True
        if is_held:
            told["held"] = True
        self.was_told_held = is_held
        return told


class _Moved:
    """The fiber that the present move is about: code in a context of its own belongs to it."""

    fiber: Fiber | None = None


def note_moved(fiber: Fiber | None) -> None:
    """A move begins; None when an evaluation does."""
    _Moved.fiber = fiber


def fiber_if_any() -> Fiber | None:
    """The fiber whose code is running; None while modules are loaded."""
    return CURRENT.get(_Moved.fiber) if moment.phase is Phase.RUN else None


def current_fiber() -> Fiber:
    """The fiber whose code is running.

    Raises:
        JsException: Module-level code asks, which the platform refuses.
    """
    if moment.phase is Phase.DISPOSE:
        raise Abandoned
    fiber = fiber_if_any()
    if fiber is None:
        # The wording is what the platform says, so that it can be searched for.
        raise JsException(
            "Error",
            "Disallowed operation called within global scope. Asynchronous I/O (ex: fetch() or "
            "connect()), setting a timeout, and generating random values are not allowed within "
            "global scope. To fix this error, perform this operation within a handler.",
        )
    return fiber


def call_site() -> str:
    """Where user code made the present call."""
    return moment.sources.user_site(calling_frame()) or CALL_SITE.get()


moment.find_site = lambda frame: moment.sources.user_site(frame) or CALL_SITE.get()


def emit(
    kind: str,
    name: str,
    operation: str,
    args: JsObject,
    *,
    parts: Parts | None = None,
    receive: Receive | None = None,
    place: str | None = None,
    functions_as_objects: bool = False,
) -> JsPromise:
    """Issue an effect of the current fiber; its answer settles the promise.

    Arguments that cannot be cloned reject the promise, as the platform's RPC does.
    """
    fiber = current_fiber()
    try:
        text = codec.encode(args, functions_as_objects=functions_as_objects)
    except codec.NotCloneable as error:
        return rejected(clone_error(error))
    promise = JsPromise()

    def settle(value: Any, error: JsException | None) -> None:
        if error is None:
            promise.resolve(value if receive is None else receive(value))
        else:
            promise.reject(error)

    effect = {
        "kind": kind,
        "name": name,
        "operation": operation,
        "args": text,
        "place": call_site() if place is None else place,
    }
    fiber.ask(effect, Asked(settle, parts))
    return promise


def start_timer(ms: int, fire: Callable[[], None]) -> Callable[[], None]:
    """Issue a TIMER effect; `fire` is called when it is answered. Returns what takes it back."""
    fiber = current_fiber()
    effect = {
        "kind": "timer",
        "name": "Timer",
        "operation": "timer",
        "args": f'{{"ms":{ms}}}',
        "place": call_site(),
    }
    ordinal = fiber.ask(effect, Asked(lambda _value, _error: fire()))
    return lambda: fiber.cancel(ordinal)


def clone_error(error: codec.NotCloneable) -> JsException:
    """The error of structured cloning."""
    return JsException(
        "DataCloneError",
        f"{error.what} could not be cloned.",
        properties={"notCloneable": error.what},
    )
