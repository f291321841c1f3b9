"""User code written as Python generators, with no host process.

`ScriptedCode` is a `UserCode` made of generator functions. A generator yields what it asks for and
is sent the answer; a lost call or a failed step is raised inside it as `Failed`:

    def run(event):
        decision = yield wait("manager decision", type="decision", timeout="7 days")
        payout = yield step("pay out", lambda context: pay(event))
        return {"paid": payout}

`together(...)` asks for several things at once and continues when all have ended, or when one has
failed; `race(...)` continues when the first has ended. `leave(...)` asks and does not wait. Ambient
inputs are asked for too: `now()` reads the clock, `draw()` draws a number, and a callback reads
`context["attempt"]`; each is noticed, as in a real host.
"""

from __future__ import annotations

import hashlib
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
    Part,
    Reaction,
    Read,
    RequestEntry,
    Returned,
    Threw,
)
from eutaxy._base.value import Plain, Value, decode, encode, error_value

Script: TypeAlias = Generator[Any, Any, Any]
Program: TypeAlias = Callable[[Any], Any]
UNDEFINED: dict[str, Plain] = {"$": "undefined"}


class Failed(Exception):
    """What a script catches when something it asked for failed, and raises to fail itself."""

    def __init__(
        self, name: str, message: str = "", properties: dict[str, Plain] | None = None
    ) -> None:
        self.name = name
        self.message = message
        self.properties = properties or {}
        super().__init__(name, message)


@dataclass(frozen=True)
class Ask:
    """One thing a script asks for."""

    kind: EffectKind
    name: str
    operation: str
    args: Plain
    callback: Program | None = None
    delay: Program | None = None
    rollback: Program | None = None


@dataclass(frozen=True)
class Many:
    """Several things at once; `is_awaited` is False for what is asked and left alone."""

    asks: tuple[Ask, ...]
    is_race: bool = False
    is_awaited: bool = True


@dataclass(frozen=True)
class Peek:
    """An ambient input that a script reads."""

    read: Read


def step(
    name: str,
    callback: Program | None,
    config: Plain = None,
    *,
    delay: Program | None = None,
    rollback: Program | None = None,
    rollback_config: Plain = None,
) -> Ask:
    """Ask for a `step.do`; the callback gets the context and returns a value or a script.

    Args:
        name: As in Workflows.
        callback: None for a step without one.
        config: As in Workflows; a delay that is a function is left out and given as `delay`.
        delay: The function that gives the delay.
        rollback: The rollback handler.
        rollback_config: Its configuration.
    """
    handler: dict[str, Plain] = {
        "hasHandler": True,
        "config": UNDEFINED if rollback_config is None else rollback_config,
    }
    args: dict[str, Plain] = {
        "config": UNDEFINED if config is None else config,
        "hasCallback": callback is not None,
        "hasDelayFunction": delay is not None,
        "rollback": UNDEFINED if rollback is None else handler,
    }
    return Ask(EffectKind.STEP, name, "do", args, callback, delay, rollback)


def sleep(name: str, duration: Plain) -> Ask:
    """Ask for a `step.sleep`."""
    return Ask(EffectKind.SLEEP, name, "sleep", {"duration": duration})


def sleep_until(name: str, until: Plain) -> Ask:
    """Ask for a `step.sleepUntil`: epoch milliseconds, or a tagged date."""
    return Ask(EffectKind.SLEEP, name, "sleepUntil", {"until": until})


def wait(name: str, *, type: str, timeout: Plain = None) -> Ask:  # noqa: A002 - as users write it
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
    """Ask for a call of a binding, such as "create" of "Workflow:APPROVALS" with `options`."""
    return Ask(EffectKind.CALL, target, operation, args)


def together(*asks: Ask) -> Many:
    """Ask for several things; continues with all answers, or with the first failure."""
    return Many(asks)


def race(*asks: Ask) -> Many:
    """Ask for several things; continues with the first answer or failure."""
    return Many(asks, is_race=True)


def leave(*asks: Ask) -> Many:
    """Ask for several things and go on at once; their answers are not heard."""
    return Many(asks, is_awaited=False)


def now() -> Peek:
    """Read the clock: virtual milliseconds since the start of the run."""
    return Peek(Read.CLOCK)


def draw() -> Peek:
    """Draw a random number below 2**32."""
    return Peek(Read.RANDOM)


class _Context(dict[str, Plain]):
    """The context of a callback; notices who reads what depends on history."""

    def __init__(self, given: Mapping[str, Plain], reads: set[Read]) -> None:
        super().__init__(given)
        self._reads = reads

    def __getitem__(self, name: str) -> Plain:
        if name in ("attempt", "step"):
            self._reads.add(Read.CONTEXT)
        return super().__getitem__(name)


@dataclass
class _Fiber:
    script: Script
    now_ms: int
    salt: str
    reads: set[Read]
    effects: list[Ask] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    answers: dict[int, Outcome] = field(default_factory=dict)
    is_race: bool = True
    outcome: Outcome | None = None
    new: list[Effect] = field(default_factory=list)
    drawn: int = 0

    def go(self, send: object, error: Exception | None = None) -> None:
        """Run until the script waits or ends."""
        while True:
            try:
                asked = self.script.throw(error) if error is not None else self.script.send(send)
            except StopIteration as stop:
                self.outcome = Returned(encode(UNDEFINED if stop.value is None else stop.value))
                return
            except Failed as failed:
                value = error_value(failed.name, failed.message, failed.properties)
                self.outcome = Threw(value)
                return
            send = error = None
            if isinstance(asked, Peek):
                send = self._peek(asked.read)
                continue
            many = asked if isinstance(asked, Many) else Many((asked,), is_race=True)
            ordinals = [self._issue(ask) for ask in many.asks]
            if many.is_awaited:
                self.is_race = many.is_race
                self.waiting = ordinals
                return

    def hear(self, ordinal: int, outcome: Outcome, now_ms: int) -> None:
        """Take one answer, and go on if it is waited for."""
        self.now_ms = now_ms
        self.answers[ordinal] = outcome
        if self.outcome is not None or ordinal not in self.waiting:
            return
        if isinstance(outcome, Threw):
            self.waiting = []
            self.go(None, _failure(outcome))
        elif self.is_race:
            self.waiting = []
            self.go(decode(outcome.value))
        elif all(each in self.answers for each in self.waiting):
            answers = [self.answers[each] for each in self.waiting]
            self.waiting = []
            self.go([decode(answer.value) for answer in answers])

    def _issue(self, ask: Ask) -> int:
        self.effects.append(ask)
        ordinal = len(self.effects)
        self.new.append(Effect(ordinal, ask.kind, ask.name, ask.operation, encode(ask.args)))
        return ordinal

    def _peek(self, read: Read) -> int:
        self.reads.add(read)
        if read is Read.CLOCK:
            return self.now_ms
        self.drawn += 1
        digest = hashlib.blake2b(f"{self.salt}/{self.drawn}".encode(), digest_size=4)
        return int.from_bytes(digest.digest(), "big")


class ScriptedCode:
    """User code made of generator functions.

    Args:
        programs: "fetch" takes the decoded request, a class name takes the decoded event.
        keyed: What is part of the state.
        is_factored: Whether nodes are fibers (else whole activations).
    """

    def __init__(
        self,
        programs: Mapping[str, Program],
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

    def history(self, number: int) -> str:
        """What a node has observed; in the unfactored model, a life."""
        return repr(self._nodes[number])

    def place_of(self, thrown: Value) -> str:
        """Unknown: scripts have no lines."""
        return ""

    def _reach(self, entry: Entry, moves: tuple[tuple[int, Move], ...], fiber: int) -> Reaction:
        key = (entry, moves)
        if key not in self._known:
            reacted = self._run(entry, moves)[fiber]
            for read in sorted(reacted.reads, key=lambda each: each.value):
                self.require(_program(entry), read)
            number = len(self._nodes)
            self._nodes.append((entry, moves, fiber))
            life = NO_LIFE if self._is_factored else LifeId(number)
            node = NodeId(number if self._is_factored else fiber)
            self._known[key] = Reaction(life, node, tuple(reacted.new), reacted.outcome)
        return self._known[key]

    def _run(self, entry: Entry, moves: tuple[tuple[int, Move], ...]) -> list[_Fiber]:
        given = decode(entry.request if isinstance(entry, RequestEntry) else entry.event)
        reads: set[Read] = set()
        root = _script(self._programs[_program(entry)], given)
        fibers = [_Fiber(root, entry.now_ms, entry.salt, reads)]
        fibers[0].go(None)
        for at, move in moves:
            for fiber in fibers:
                fiber.new = []
            if isinstance(move, Answer):
                fibers[at].hear(move.ordinal, move.outcome, move.now_ms)
            else:
                script = _script(*_function(fibers[at].effects[move.ordinal - 1], move, reads))
                fibers.append(_Fiber(script, move.now_ms, move.salt, reads))
                fibers[-1].go(None)
        return fibers


def scripted(**programs: Program) -> Callable[..., ScriptedCode]:
    """Make a factory of scripted code, as `Checker` wants it, from programs by name."""

    def make(
        keyed: frozenset[tuple[str, Read]] = frozenset(), *, is_factored: bool = True
    ) -> ScriptedCode:
        return ScriptedCode(programs, keyed, is_factored=is_factored)

    return make


def _function(ask: Ask, move: Invoke, reads: set[Read]) -> tuple[Program, object]:
    """The function that is called, and what it is given."""
    functions = {
        Part.CALLBACK: ask.callback,
        Part.DELAY: ask.delay,
        Part.ROLLBACK: ask.rollback,
    }
    function = functions[move.part]
    assert function is not None
    given = decode(move.argument)
    assert isinstance(given, dict)
    if move.part is Part.CALLBACK:
        return function, _Context(given, reads)
    context = given["ctx"]
    assert isinstance(context, dict)
    return function, {**given, "ctx": _Context(context, reads)}


def _program(entry: Entry) -> str:
    return entry.handler if isinstance(entry, RequestEntry) else entry.class_name


def _failure(outcome: Threw) -> Failed:
    tree = decode(outcome.value)
    if not isinstance(tree, dict) or tree.get("$") != "error":
        return Failed("Error", str(tree))
    of = tree.get("of")
    return Failed(
        str(tree.get("name")), str(tree.get("message")), of if isinstance(of, dict) else None
    )


def _script(function: Program, given: object) -> Script:
    made = function(given)
    if isinstance(made, Generator):
        made = yield from made
    return made
