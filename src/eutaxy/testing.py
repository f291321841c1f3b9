"""Helpers for tests: user code written as Python generators, with no host process.

`ScriptedCode` is a `UserCode` made of generator functions. A generator yields what it asks for and is
sent the answer; a lost call or a failed step is raised inside it as `Failed`:

    def run(event):
        decision = yield wait("manager decision", type="decision", timeout="7 days")
        payout = yield step("pay out", lambda context: pay(event))
        return {"paid": payout}

`together(...)` asks for several things at once and continues when all have ended, `race(...)` when the
first has.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from eutaxy._base.code import (
    NO_LIFE,
    Answer,
    Effect,
    EffectKind,
    Entry,
    Invoke,
    LifeId,
    Move,
    NewRead,
    NodeId,
    Outcome,
    Reaction,
    Read,
    RequestEntry,
    Returned,
    Threw,
)
from eutaxy._base.value import Plain, decode, encode, error_value

Script: TypeAlias = Generator[Any, Any, Any]
UNDEFINED: dict[str, Plain] = {"$": "undefined"}


class Failed(Exception):
    """What a script catches when something it asked for failed."""

    def __init__(self, name: str, message: str = "") -> None:
        self.name = name
        self.message = message
        super().__init__(name, message)


@dataclass(frozen=True)
class Ask:
    """One thing a script asks for."""

    kind: EffectKind
    name: str
    operation: str
    args: Plain
    callback: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Many:
    """Several things at once."""

    asks: tuple[Ask, ...]
    is_race: bool


def step(name: str, callback: Callable[[Any], Any], config: Plain = None) -> Ask:
    """Ask for a `step.do`; the callback gets the context and returns a value or a script."""
    args: dict[str, Plain] = {
        "config": UNDEFINED if config is None else config,
        "hasCallback": True,
        "hasDelayFunction": False,
        "rollback": UNDEFINED,
    }
    return Ask(EffectKind.STEP, name, "do", args, callback)


def sleep(name: str, duration: int | str) -> Ask:
    """Ask for a `step.sleep`."""
    return Ask(EffectKind.SLEEP, name, "sleep", {"duration": duration})


def wait(name: str, *, type: str, timeout: int | str | None = None) -> Ask:
    """Ask for a `step.waitForEvent`."""
    options: dict[str, Plain] = {"type": type}
    if timeout is not None:
        options["timeout"] = timeout
    return Ask(EffectKind.WAIT, name, "waitForEvent", {"options": options})


def timer(ms: int) -> Ask:
    """Ask for virtual time to pass."""
    return Ask(EffectKind.TIMER, "Timer", "timer", {"ms": ms})


def fetch(method: str, url: str, body: Plain = None, headers: dict[str, str] | None = None) -> Ask:
    """Ask for an outbound request with a JSON body."""
    args: dict[str, Plain] = {
        "url": url,
        "method": method,
        "headers": dict(headers or {}),
        "body": None if body is None else encode(body),
    }
    return Ask(EffectKind.CALL, "Fetch", method, args)


def call(target: str, operation: str, **args: Plain) -> Ask:
    """Ask for a call of a binding: call("Workflow:APPROVALS", "create", options={...})."""
    return Ask(EffectKind.CALL, target, operation, args)


def together(*asks: Ask) -> Many:
    """Ask for several things; continues with all answers once all have ended."""
    return Many(asks, is_race=False)


def race(*asks: Ask) -> Many:
    """Ask for several things; continues with the first answer."""
    return Many(asks, is_race=True)


@dataclass
class _Fiber:
    script: Script
    effects: list[Ask] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    answers: dict[int, Outcome] = field(default_factory=dict)
    is_race: bool | None = None
    outcome: Outcome | None = None
    new: list[Effect] = field(default_factory=list)

    def go(self, send: Any, error: Exception | None = None) -> None:
        while True:
            try:
                asked = self.script.throw(error) if error is not None else self.script.send(send)
            except StopIteration as stop:
                self.outcome = Returned(encode(UNDEFINED if stop.value is None else stop.value))
                return
            except Failed as failed:
                self.outcome = Threw(error_value(failed.name, failed.message))
                return
            asks = asked.asks if isinstance(asked, Many) else (asked,)
            self.is_race = asked.is_race if isinstance(asked, Many) else None
            self.waiting = []
            for ask in asks:
                self.effects.append(ask)
                ordinal = len(self.effects)
                self.waiting.append(ordinal)
                args = encode(ask.args)
                self.new.append(Effect(ordinal, ask.kind, ask.name, ask.operation, args))
            return

    def hear(self, ordinal: int, outcome: Outcome) -> None:
        self.answers[ordinal] = outcome
        if self.outcome is not None or ordinal not in self.waiting:
            return
        if self.is_race is False and not all(each in self.answers for each in self.waiting):
            if isinstance(outcome, Returned):
                return
        if isinstance(outcome, Threw):
            tree = decode(outcome.value)
            assert isinstance(tree, dict)
            self.go(None, Failed(str(tree.get("name")), str(tree.get("message"))))
        elif self.is_race is False:
            answers = [self.answers[each] for each in self.waiting]
            self.go([decode(answer.value) for answer in answers])
        else:
            self.go(decode(outcome.value))


class ScriptedCode:
    """User code made of generator functions.

    Args:
        programs: "fetch" takes the decoded request, a class name takes the decoded event.
        keyed: What is part of the state.
        is_factored: Whether nodes are fibers (else whole activations).
    """

    def __init__(
        self,
        programs: Mapping[str, Callable[[Any], Any]],
        keyed: frozenset[tuple[str, Read]] = frozenset(),
        *,
        is_factored: bool = True,
    ) -> None:
        self._programs = programs
        self._is_factored = is_factored
        self.keyed = keyed
        self._nodes: list[tuple[Entry, tuple[tuple[int, Move], ...], int]] = []
        self._known: dict[Any, Reaction] = {}

    def start(self, entry: Entry) -> Reaction:
        """Begin an activation."""
        return self._reach(entry, (), 0)

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        """Apply an observation."""
        entry, moves, fiber = self._nodes[node if self._is_factored else life]
        if not self._is_factored:
            fiber = int(node)
        made = (*moves, (fiber, move))
        if isinstance(move, Invoke):
            fiber = 1 + sum(1 for _, each in moves if isinstance(each, Invoke))
        return self._reach(entry, made, fiber)

    def reads(self, program: str) -> frozenset[Read]:
        """What is part of the state."""
        return frozenset(read for name, read in self.keyed if name == program)

    def require(self, program: str, read: Read) -> None:
        """Make an ambient input part of the state."""
        if read not in self.reads(program):
            raise NewRead(program, read)

    def _reach(self, entry: Entry, moves: tuple[tuple[int, Move], ...], fiber: int) -> Reaction:
        key = (entry, moves)
        if key not in self._known:
            reacted = self._run(entry, moves)[fiber]
            number = len(self._nodes)
            self._nodes.append((entry, moves, fiber))
            life = NO_LIFE if self._is_factored else LifeId(number)
            node = NodeId(number if self._is_factored else fiber)
            self._known[key] = Reaction(life, node, tuple(reacted.new), reacted.outcome)
        return self._known[key]

    def _run(self, entry: Entry, moves: tuple[tuple[int, Move], ...]) -> list[_Fiber]:
        is_request = isinstance(entry, RequestEntry)
        name = entry.handler if isinstance(entry, RequestEntry) else entry.class_name
        given = decode(entry.request if isinstance(entry, RequestEntry) else entry.event)
        assert is_request or isinstance(given, dict)
        fibers = [_Fiber(_script(self._programs[name], given))]
        fibers[0].go(None)
        for at, move in moves:
            for fiber in fibers:
                fiber.new = []
            if isinstance(move, Answer):
                fibers[at].hear(move.ordinal, move.outcome)
            else:
                callback = fibers[at].effects[move.ordinal - 1].callback
                assert callback is not None
                fibers.append(_Fiber(_script(callback, decode(move.argument))))
                fibers[-1].go(None)
        return fibers


def scripted(**programs: Callable[[Any], Any]) -> Callable[..., ScriptedCode]:
    """A factory of scripted code, as `Checker` wants it: scripted(fetch=..., ClassName=...)."""

    def make(
        keyed: frozenset[tuple[str, Read]] = frozenset(), *, is_factored: bool = True
    ) -> ScriptedCode:
        return ScriptedCode(programs, keyed, is_factored=is_factored)

    return make


def _script(function: Callable[[Any], Any], given: Any) -> Script:
    def run() -> Script:
        made = function(given)
        if isinstance(made, Generator):
            made = yield from made
        return made
        yield  # pragma: no cover

    return run()
