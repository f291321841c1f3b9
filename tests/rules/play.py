"""Play one program on the model by hand: calls and misfortunes at chosen moments.

    run = play(K36)
    run.until(4_000).call("pause")
    run.until(104_000).call("resume")
    run.finish()
    assert run.status == "complete" and run.now_ms == 110_000

Left alone, a run takes what normally happens (the first choice of each world). Code that turns out
to read the clock, or another input that was no part of the state, is played again from the start,
with all calls.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeVar

from eutaxy._base.bounds import Bounds
from eutaxy._base.code import Effect, EffectKind, NewRead, Outcome, Read, Returned, Threw
from eutaxy._base.fault import Fault
from eutaxy._base.note import Diagnostic
from eutaxy._base.observation import Happened
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.scenario import (
    CannedResponse,
    External,
    HttpRequest,
    Scenario,
    Seen,
    Timing,
    WorkflowSetup,
)
from eutaxy._base.value import UNDEFINED, Plain, Value, decode, encode
from eutaxy._explore.trace import Tracer
from eutaxy._hosts.node_trie import NodeTrie
from eutaxy._platform.assembly import Parts, Platform, platform_order
from eutaxy._platform.call import Answered, Deferred, Fate, Perform, Return
from eutaxy._platform.workflows.instance import instance_address
from eutaxy._platform.workflows.profile import PROFILES, Engine, Profile
from eutaxy._platform.workflows.state import Instance
from eutaxy._platform.workflows.status import status_value
from eutaxy._session.epoch import EPOCH_MS
from eutaxy._world.component import Address, Choice, Local, Step
from eutaxy._world.system import System
from eutaxy._world.world import CLOCK_SLOT, Option, World
from tests.rules.invariants import check_step
from tests.rules.programs import Host, Program

CALLER: Address = ("tester",)
"""Who makes the calls of a test."""
LEDGER: Address = ("ledger",)
"""Hears of every write."""

T = TypeVar("T")


class Rejected(Exception):
    """A call was answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.name = str(error.get("name"))
        self.message = str(error.get("message"))
        super().__init__(f"{self.name}: {self.message}")


@dataclass(frozen=True)
class Attempt:
    """One begun attempt of a step or of a rollback handler."""

    step: str
    count: int
    number: int
    at_ms: int


class _Collector:
    """Keeps what it is sent."""

    def initial(self) -> Local:
        return ()

    def choices(self, local: Local) -> tuple[Choice, ...]:
        return ()

    def is_running(self, local: Local) -> bool:
        return False

    def next_timer(self, local: Local) -> int | None:
        return None

    def tick(self, local: Local, ms: int) -> Local:
        return local

    def on(self, local: Local, message: Hashable) -> Step:
        assert isinstance(local, tuple)
        return Step((*local, message))


class Play:
    """One run of one program.

    Args:
        program: What runs.
        host: Runs its code.
        language: Its kind: "node" or "cpython".
        profile: Engine behaviour.
        engine: More of the engine.
        down_ms: How long a crashed engine is away.
        requests: What the driver hands to the request handler.
        asked: Optional faults that may strike.
        next_class: Program that a deploy brings.
    """

    def __init__(
        self,
        program: Program,
        host: Host,
        *,
        language: str = "node",
        profile: str | Profile = "prod",
        engine: dict[str, Any] | None = None,
        down_ms: int = 0,
        requests: tuple[HttpRequest, ...] = (),
        asked: tuple[Fault, ...] = (),
        next_class: str = "",
    ) -> None:
        self.program = program
        self.language = language
        self._host = host
        chosen = PROFILES[profile] if isinstance(profile, str) else profile
        self._engine = Engine(profile=chosen, **(engine or {}))
        self._scenario = _scenario(program, down_ms, requests, asked, next_class)
        self._keyed: frozenset[tuple[str, Read]] = frozenset()
        self._done: list[Callable[[], object]] = []
        self._begin()

    def _begin(self) -> None:
        self._code = NodeTrie(self._host, self._keyed)
        collector = _Collector()
        platform = Platform(
            Parts(
                scenario=self._scenario,
                code=self._code,
                observers=_observers,
                monitors={LEDGER: collector, CALLER: collector}.__getitem__,
                epoch_ms=EPOCH_MS,
                engine=self._engine,
            )
        )
        self._route = platform.route
        self.system = System(
            platform.component_at,
            (*platform.initial(), CALLER, LEDGER),
            slots_max=4,
            order=platform_order,
        )
        self.world: World = self.system.initial
        self.now_ms = 0
        self.writes: list[tuple[int, str]] = []
        self.diagnostics: list[Diagnostic] = []
        self._tracer = Tracer()

    def _act(self, action: Callable[[], T]) -> T:
        self._done.append(action)
        while True:
            try:
                return action()
            except NewRead as read:
                self._keyed |= {(read.program, read.read)}
                self._again()

    def _again(self) -> None:
        while True:
            self._begin()
            try:
                for each in self._done[:-1]:
                    each()
            except NewRead as read:
                self._keyed |= {(read.program, read.read)}
            else:
                return

    def key(self, read: NewRead) -> None:
        """Make an input part of the state, and play again."""
        self._keyed |= {(read.program, read.read)}
        self._done.append(lambda: None)
        self._again()
        self._done.pop()

    # -- what may be done -----------------------------------------------------------------------

    def create(self, params: Plain = None, instance_id: str = "i", **more: Any) -> Play:
        """Create the instance of this run."""
        options: dict[str, Plain] = {"id": instance_id, **more}
        if params is not None:
            options["params"] = params
        self.call("create", options)
        return self

    def call(self, operation: str, argument: Plain = None, instance_id: str = "i") -> Any:
        """Call the binding or a method of the instance; what it answers, decoded.

        Raises:
            Rejected: It was answered with an error.
        """
        outcome = self._act(lambda: self._call(operation, argument, instance_id))
        if isinstance(outcome, Threw):
            error = decode(outcome.value)
            raise Rejected(error if isinstance(error, dict) else {"message": error})
        return decode(outcome.value)

    def until(self, ms: int, *, settles: bool = True) -> Play:
        """Go on to that moment; what is due at it still happens, unless it is not to settle."""
        self._act(lambda: self._until(ms, settles=settles))
        return self

    def choose(self, told: str, *, fate: str = "") -> Play:
        """Take the first open choice whose description holds that text, and that fate."""
        self._act(lambda: self._choose(told, fate))
        return self

    def redeliver(self) -> Play:
        """Hand the request over again, now."""
        self._act(self._redeliver)
        return self

    def finish(self) -> Play:
        """Go on until nothing is left to happen."""
        self._act(self._finish)
        return self

    def strike(self, fault: str, effect: str = "", *, step: str = "", nth: int = 1) -> Play:
        """Go on until the n-th `effect` (of that step) is next, and let the fault strike it.

        Args:
            fault: Its name, such as "crash_after".
            effect: What it strikes: "step_start", "step_result", "Fetch:log POST" ...; empty for
                faults that strike between effects.
            step: Only for effects of that step.
            nth: Which of several.
        """
        self._act(lambda: self._strike(fault, effect, step, nth))
        return self

    def always_replay(self) -> Play:
        """Finish, but end the lifetime after each result that was stored."""
        self._act(self._always_replay)
        return self

    # -- what happened --------------------------------------------------------------------------

    @property
    def records(self) -> list[Record]:
        """The trace."""
        return self._tracer.trace.records

    def instance(self, instance_id: str = "i") -> Instance:
        """The instance's state."""
        local = self.system.local(self.world, instance_address(self.program.name, instance_id))
        assert isinstance(local, Instance), f"there is no instance {instance_id}"
        return local

    def status_in(self, world: World, instance_id: str = "i") -> str:
        """The instance's status in a world; "none" when it is not there."""
        local = self.system.local(world, instance_address(self.program.name, instance_id))
        return local.status.value if isinstance(local, Instance) else "none"

    def params_in(self, world: World, instance_id: str = "i") -> str:
        """The instance's payload in a world, as value text; empty when it is not there."""
        local = self.system.local(world, instance_address(self.program.name, instance_id))
        return local.params if isinstance(local, Instance) else ""

    def output_in(self, world: World, instance_id: str = "i") -> Any:
        """What the instance returned in a world; None when it has not."""
        local = self.system.local(world, instance_address(self.program.name, instance_id))
        result = local.result if isinstance(local, Instance) else None
        return decode(result.value) if isinstance(result, Returned) else None

    @property
    def status(self) -> str:
        """Its status, as stored."""
        return self.instance().status.value

    @property
    def output(self) -> Any:
        """What `run` returned, decoded."""
        result = self.instance().result
        assert isinstance(result, Returned), f"{self.status} with {result}"
        return decode(result.value)

    @property
    def error(self) -> tuple[str, str]:
        """Name and message of the instance's error."""
        shown = decode(status_value(self.instance()))
        assert isinstance(shown, dict)
        error = shown.get("error")
        assert isinstance(error, dict), f"{self.status} with {self.instance().result}"
        return str(error["name"]), str(error["message"])

    def failed(self, name: str, text: str) -> bool:
        """Whether the instance is errored with that error.

        What leaves `run` of a Python Worker is a PythonError whose message is a traceback; its last
        line ends with the text.
        """
        told, message = self.error
        if self.language == "cpython":
            is_told = told == "PythonError" and message.rstrip().endswith(text)
        else:
            is_told = (told, message) == (name, text)
        return self.status == "errored" and is_told

    @property
    def rollback(self) -> Any:
        """What `status()` says of the rollback."""
        shown = decode(status_value(self.instance()))
        assert isinstance(shown, dict)
        return shown["rollback"]

    @property
    def ended_ms(self) -> int:
        """When the instance ended, for the last time."""
        ends = [
            each.at_ms
            for each in self.records
            if each.kind is RecordKind.END and each.activation.startswith("workflow:")
        ]
        assert ends, f"it has not ended: {self.status}"
        return ends[-1]

    @property
    def answer(self) -> Any:
        """The body of the response that the request handler gave last, read as JSON."""
        answers = [each.answer for each in self.records if each.text == "answered"]
        assert answers, "the request was not answered"
        assert answers[-1] is not None
        return json.loads(json.loads(answers[-1])["body"])

    @property
    def lifetimes(self) -> int:
        """How many lifetimes began."""
        return sum(
            each.kind is RecordKind.START and each.activation.startswith("workflow:")
            for each in self.records
        )

    @property
    def attempts(self) -> list[Attempt]:
        """Attempts of steps, in the order of their starts."""
        return self._attempts("step_start")

    @property
    def undone(self) -> list[Attempt]:
        """Attempts of rollback handlers."""
        return self._attempts("rollback_start")

    def times(self, step: str) -> list[int]:
        """When the attempts of one step began."""
        return [each.at_ms for each in self.attempts if each.step == step]

    def calls(self, step: str) -> int:
        """How often the callback of a step was called."""
        return len(self.times(step))

    def notes(self, text: str) -> list[Record]:
        """Records whose text holds that text."""
        return [each for each in self.records if text in each.text]

    def _attempts(self, verb: str) -> list[Attempt]:
        found = []
        for each in self.records:
            if each.kind is RecordKind.EFFECT and each.text.endswith(f" {verb}"):
                assert each.args is not None
                args = json.loads(each.args)
                found.append(Attempt(args["step"], args["count"], args["attempt"], each.at_ms))
        return found

    # -- moving ---------------------------------------------------------------------------------

    def _call(self, operation: str, argument: Plain, instance_id: str) -> Outcome:
        args: dict[str, Plain] = {"options": UNDEFINED_TREE if argument is None else argument}
        if operation == "deleteBatch":
            args = {"ids": argument}
        elif operation not in ("create", "createBatch"):
            args["id"] = instance_id
        name = f"Workflow:{self.program.name}"
        effect = Effect(1, EffectKind.CALL, name, operation, encode(args))
        target = self._route(effect).target
        now = self.now_ms if Read.CLOCK in self._code.reads(self.program.name) else 0
        heard = self._heard()
        self._take(self.system.sent(target, Perform(effect, _BACK, now)))
        answers = self._heard()
        assert len(answers) == len(heard) + 1, f"{operation} was not answered"
        answered = answers[-1]
        if isinstance(answered, Deferred):
            # The answer comes when the rollback is over; nobody here waits for it.
            return Returned(UNDEFINED)
        assert isinstance(answered, Answered)
        return answered.outcome

    def _heard(self) -> tuple[Hashable, ...]:
        local = self.system.local(self.world, CALLER)
        return local if isinstance(local, tuple) else ()

    def _take(self, option: Option) -> None:
        before = len(self._ledger())
        # The tracer explains transitions that were computed; this computes them.
        self.system.step(self.world, option)
        explained = self.system.explain(self.world, option)
        check_step(self.system, self.world, option, explained)
        self.world = explained.world
        self._tracer.take(explained)
        self.diagnostics += [each for each in explained.notes if isinstance(each, Diagnostic)]
        self.now_ms += explained.passed_ms
        self.writes += [(self.now_ms, text) for text in self._ledger()[before:]]

    def _ledger(self) -> list[str]:
        local = self.system.local(self.world, LEDGER)
        assert isinstance(local, tuple)
        return [_written(each) for each in local]

    def _normal(self) -> Option | None:
        for option in self.system.choices(self.world):
            if not option.faults and not option.redeliveries:
                return option
        return None

    def _choose(self, told: str, fate: str) -> None:
        options = self.system.choices(self.world)
        texts = {
            self.system.describe(each): each for each in options if bool(fate) == bool(each.faults)
        }
        found = [each for text, each in texts.items() if told in text and fate in text]
        assert found, f"no choice holds {told!r}: {list(texts)}"
        self._take(found[0])

    def _redeliver(self) -> None:
        options = self.system.choices(self.world)
        self._take(next(each for each in options if each.redeliveries))

    def _until(self, ms: int, *, settles: bool) -> None:
        assert ms >= self.now_ms
        while settles or self.now_ms < ms:
            option = self._normal()
            if option is None or option.slot == CLOCK_SLOT:
                left = ms - self.now_ms
                if option is not None and option.message <= left:
                    self._take(option)
                    continue
                if left:
                    self._take(self.system.passed(left))
                return
            self._take(option)

    def _finish(self) -> None:
        for option in self._steps():
            self._take(option)

    def _steps(self) -> Iterator[Option]:
        for _ in range(_STEPS_MAX):
            option = self._normal()
            if option is None:
                return
            yield option
        raise AssertionError("the run does not come to rest")

    def _strike(self, fault: str, effect: str, step: str, nth: int) -> None:
        for option in self._steps():
            struck = self._struck(fault, effect, step)
            if struck is not None and self._seen(effect, step) == nth - 1:
                self._take(struck)
                return
            self._take(option)
        raise AssertionError(f"{fault} never strikes {effect} {step} number {nth}")

    def _struck(self, fault: str, effect: str, step: str) -> Option | None:
        for option in self.system.choices(self.world):
            if not option.faults:
                continue
            told = self.system.describe(option)
            if not told.endswith(f" {fault}") or (step and f"name='{step}'" not in told):
                continue
            if not effect or any(
                note.struck.endswith(effect)
                for note in self._explained(option)
                if hasattr(note, "struck")
            ):
                return option
        return None

    def _explained(self, option: Option) -> tuple[Any, ...]:
        self.system.step(self.world, option)
        return self.system.explain(self.world, option).notes

    def _seen(self, effect: str, step: str) -> int:
        if not effect:
            return 0
        return sum(
            each.kind is RecordKind.EFFECT
            and each.text.endswith(effect)
            and (not step or f'"step":"{step}"' in (each.args or ""))
            for each in self.records
        )

    def _always_replay(self) -> None:
        for option in self._steps():
            crash = self._struck("crash_before", "", "") or self._struck("crash_idle", "", "")
            self._take(crash if crash is not None and self._is_new_ground() else option)

    def _is_new_ground(self) -> bool:
        """Whether this lifetime has stored something that no lifetime stored before."""
        starts = [each.seq for each in self.records if each.kind is RecordKind.START]
        last = starts[-1] if starts else 0
        stored = [
            (each.seq, each.text, "" if each.args is None else each.args.partition(',"attempt"')[0])
            for each in self.records
            if each.text.endswith(("_result", " over"))
        ]
        old = {(text, what) for seq, text, what in stored if seq < last}
        return any((text, what) not in old for seq, text, what in stored if seq > last)


UNDEFINED_TREE: dict[str, Plain] = {"$": "undefined"}
_BACK = Return(CALLER, "", 1, Fate.NORMAL)
_STEPS_MAX = 20_000


def _observers(seen: Seen, target: str, operation: str) -> tuple[Address, ...]:
    return (LEDGER,) if seen is Seen.FETCH else ()


def _written(heard: Hashable) -> str:
    assert isinstance(heard, Happened)
    view = json.loads(heard.view)["args"]
    return str(view["body"])


def _scenario(
    program: Program,
    down_ms: int,
    requests: tuple[HttpRequest, ...],
    asked: tuple[Fault, ...],
    next_class: str,
) -> Scenario:
    answer = CannedResponse(method="POST", path="/write", status=200, headers=(), body="")
    return Scenario(
        name=program.name,
        path="",
        entry="",
        config="",
        setup=(
            WorkflowSetup(binding=program.name, class_name=program.name, next_class=next_class),
        ),
        drive=requests,
        externals=(External(name="log", host="log.example", responses=(answer,)),),
        invariants=(),
        bounds=Bounds(
            max_concurrent=4,
            max_redeliveries=1,
            faults_max=tuple((each.value, 9) for each in asked),
        ),
        downtime_ms=down_ms,
    )


def request_for(program: Program, *, after_ms: int = 0) -> HttpRequest:
    """A request that the program's handler gets."""
    return HttpRequest(
        name="req-1",
        method="POST",
        url=f"https://worker.example/{program.name}",
        headers=(),
        body=Value("null"),
        timing=Timing(after_ms=after_ms, has_time=True),
    )


def normal_form(records: list[Record]) -> list[tuple[int, str, str, str, str]]:
    """What twins must have in common: who did what and when, with which arguments and answers."""
    return [
        (each.at_ms, each.activation, each.text, _common(each.args), _common(each.answer))
        for each in records
        if each.kind is not RecordKind.CLOCK
    ]


def differences(runs: list[Any], others: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Pairs of entries by which the normal forms of runs differ."""
    for mine, theirs in zip_longest(runs, others, fillvalue=()):
        for one, other in zip_longest(mine, theirs):
            if one != other:
                yield one, other


def _common(value: Value | None) -> str:
    return "" if value is None else encode(_without_language(decode(value)))


def _without_language(tree: Plain) -> Plain:
    """An error as both languages tell it: its text, without class names and traceback."""
    if isinstance(tree, list):
        return [_without_language(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    if tree == UNDEFINED_TREE:
        # Nothing is null in Python and undefined in TypeScript.
        return None
    if tree.get("$") == "error":
        lines = [each for each in str(tree.get("message", "")).split("\n") if each.strip()]
        last = lines[-1] if lines else ""
        return {"$": "error", "message": last.rsplit(": ", 1)[-1]}
    if isinstance(tree.get("body"), str):
        # Python's JSON has blanks.
        with contextlib.suppress(ValueError):
            tree = {**tree, "body": json.loads(str(tree["body"]))}
    return {key: _without_language(each) for key, each in tree.items()}
