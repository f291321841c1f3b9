"""A laboratory for one scripted Worker: run it, strike it, look at what it did and when.

The Worker has a Workflow (class FLOW, binding FLOW) and a `fetch` handler that does what the body of
a request says: `send("create", id="a")` and the like; it notes what every call was answered. The
external `log` takes `POST /write`, so that a script can leave marks: `yield write("paid")`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from eutaxy._base.bounds import Bounds
from eutaxy._base.code import NewRead, Read
from eutaxy._base.fault import Fault
from eutaxy._base.note import Note
from eutaxy._base.record import Record, RecordKind
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    CannedResponse,
    Dedupe,
    External,
    HttpRequest,
    Invariant,
    Keyed,
    Scenario,
    Seen,
    Selector,
    Timing,
    WorkflowSetup,
)
from eutaxy._base.value import Plain, decode, encode
from eutaxy._explore.trace import Trace, Tracer
from eutaxy._platform.workflows.engine import crash
from eutaxy._platform.workflows.instance import WorkflowInstance, instance_address
from eutaxy._platform.workflows.profile import Engine
from eutaxy._platform.workflows.state import Instance
from eutaxy._platform.workflows.status import status_value
from eutaxy._platform.workflows.turn import Turn
from eutaxy._session.model import Model
from eutaxy._world.world import Explained, Option, World
from eutaxy.testing import Ask, Failed, call, fetch, scripted, timer

FLOW = "FLOW"
TARGET = f"Workflow:{FLOW}"
LOG = "log"
STEPS_MAX = 2_000

Script = Callable[[Any], Any]


def send(operation: str, **args: Plain) -> list[Plain]:
    """A call of the binding for a request: send("sendEvent", id="a", options={...})."""
    return [operation, args]


def create(name: str = "a", params: Plain = None) -> list[Plain]:
    """Create an instance."""
    options: dict[str, Plain] = {"id": name}
    if params is not None:
        options["params"] = params
    return send("create", options=options)


def event(payload: Plain = None, *, kind: str = "t", name: str = "a") -> list[Plain]:
    """Send an event."""
    return send("sendEvent", id=name, options={"type": kind, "payload": payload})


def status(name: str = "a") -> list[Plain]:
    """Ask for the status."""
    return send("status", id=name)


def request(*calls: list[Plain], at: int | None = None) -> tuple[int | None, list[list[Plain]]]:
    """A driver event that makes some calls; `at` is its absolute virtual time, in ms."""
    return at, list(calls)


def client(given: Any) -> Any:
    """The `fetch` handler: makes the calls that the body lists, and answers what it saw."""
    seen: list[Any] = []
    for operation, args in json.loads(given["body"]):
        try:
            seen.append((yield call(TARGET, operation, **args)))
        except Failed as failed:
            seen.append({"failed": f"{failed.name}: {failed.message}"})
    return {"status": 200, "headers": {}, "body": json.dumps(seen)}


def gives(value: Any = None) -> Script:
    """A callback that returns a value."""
    return lambda _: value


def fails(message: str = "no", name: str = "Error") -> Script:
    """A callback that throws."""

    def callback(_: Any) -> Any:
        raise Failed(name, message)

    return callback


def after(ms: int, key: str = "", value: Any = None) -> Script:
    """A callback that takes so long, leaves a mark, and returns a value."""

    def callback(_: Any) -> Any:
        yield timer(ms)
        if key:
            yield write(key)
        return value

    return callback


def retries(limit: float, delay: Any, backoff: Any = None) -> dict[str, Any]:
    """A step config."""
    written: dict[str, Any] = {"limit": limit, "delay": delay}
    if backoff is not None:
        written["backoff"] = backoff
    return {"retries": written}


def write(mark: str, *, once: bool = False, key: str = "") -> Ask:
    """Leave a mark in the log; with an idempotency key if `once` (the mark) or `key` says so."""
    key = key or (mark if once else "")
    headers = {"idempotency-key": key} if key else {}
    return fetch("POST", "https://log.example/write", {"key": mark}, headers)


def check(path: str = "/write") -> Ask:
    """Read the log."""
    return fetch("GET", f"https://log.example{path}")


ONCE_PER_KEY = AtMostOncePerKey(
    name="once",
    what=Keyed(
        selector=Selector(seen=Seen.FETCH, target=LOG, operation="POST"), key_path="args.body.key"
    ),
)


def scenario_of(
    *requests: tuple[int | None, list[list[Plain]]],
    faults: int = 0,
    redeliveries: int = 0,
    concurrent: int = 1,
    downtime_ms: int = 1_000,
    invariants: tuple[Invariant, ...] = (ONCE_PER_KEY,),
    responses: tuple[CannedResponse, ...] = (),
    failure_statuses: tuple[int, ...] = (),
    outage_ms: int | None = None,
) -> Scenario:
    """A scenario of such requests, named req-1, req-2, ..."""
    drive: list[HttpRequest] = []
    before = 0
    for number, (at, calls) in enumerate(requests, 1):
        after_ms = 1_000 if at is None else at - before
        before = before + (after_ms if number > 1 or at is not None else 0)
        drive.append(
            HttpRequest(
                name=f"req-{number}",
                method="POST",
                url="https://worker.example/",
                headers=(),
                body=encode(json.dumps(calls)),
                timing=Timing(after_ms=after_ms, has_time=at is not None),
            )
        )
    return Scenario(
        name="lab",
        path="lab",
        entry="",
        config="",
        setup=(WorkflowSetup(binding=FLOW, class_name=FLOW),),
        drive=tuple(drive),
        externals=(
            External(
                name=LOG,
                host="log.example",
                dedupe=Dedupe(header="idempotency-key"),
                responses=(*responses, _answer("POST"), _answer("GET")),
                failure_statuses=failure_statuses,
                outage_ms=outage_ms,
            ),
        ),
        invariants=invariants,
        bounds=Bounds(max_faults=faults, max_redeliveries=redeliveries, max_concurrent=concurrent),
        downtime_ms=downtime_ms,
    )


def _answer(method: str) -> CannedResponse:
    return CannedResponse(method=method, path="/write", status=200, headers=(), body="{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """A fault at the nth effect of that name (a suffix of its text) that is met."""

    fault: Fault
    effect: str
    nth: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """The engine of an instance dies at one moment and is back at another, whatever it was doing."""

    at_ms: int
    until_ms: int
    name: str = "a"


@dataclass(slots=True)
class Ran:
    """One run, for assertions."""

    model: Model
    trace: Trace
    times: list[int] = field(default_factory=list)

    @property
    def records(self) -> list[Record]:
        return self.trace.records

    @property
    def now_ms(self) -> int:
        """Virtual time at the end."""
        clocks = [int(each.text) for each in self.records if each.kind is RecordKind.CLOCK]
        return sum(clocks)

    def instance(self, name: str = "a") -> Instance:
        local = self.model.local(self.trace.end, instance_address(FLOW, name))
        assert isinstance(local, Instance)
        return local

    def status(self, name: str = "a") -> dict[str, Any]:
        """Final status, as `status()` would show it."""
        tree = decode(status_value(self.instance(name)))
        assert isinstance(tree, dict)
        return tree

    @property
    def output(self) -> Any:
        """Output of instance a, which must be complete."""
        shown = self.status()
        assert shown["status"] == "complete", shown
        return shown["output"]

    @property
    def error(self) -> Any:
        """Error of instance a, which must be errored."""
        shown = self.status()
        assert shown["status"] == "errored", shown
        return shown["error"]

    @property
    def end_ms(self) -> int:
        """When instance a ended."""
        (end,) = [
            each
            for each in self.records
            if each.kind is RecordKind.END and each.activation.startswith(f"workflow:{FLOW}:a#")
        ]
        return end.at_ms

    def calls(self, step: str) -> list[int]:
        """When the attempts of a step began."""
        return [
            each.at_ms
            for each in self.records
            if each.kind is RecordKind.EFFECT
            and each.text == f"{TARGET} step_start"
            and _args(each)["step"] == step
        ]

    def numbers(self, step: str) -> list[tuple[int, int]]:
        """Count and attempt of each of its attempts."""
        return [
            (_args(each)["count"], _args(each)["attempt"])
            for each in self.records
            if each.text == f"{TARGET} step_start" and _args(each)["step"] == step
        ]

    @property
    def writes(self) -> list[tuple[int, str]]:
        """What was written to the log, and when; without what was deduplicated."""
        return [
            (each.at_ms, json.loads(_args(each)["body"])["key"])
            for each in self.records
            if each.text == f"Fetch:{LOG} POST"
            and each.kind in (RecordKind.EFFECT, RecordKind.LANDED)
            and not _is_lost(each)
        ]

    @property
    def lifetimes(self) -> list[int]:
        """When each lifetime of instance a began."""
        return [
            each.at_ms
            for each in self.records
            if each.kind is RecordKind.START and each.activation.startswith(f"workflow:{FLOW}:a#")
        ]

    def answers(self, name: str = "req-1") -> list[Any]:
        """What the calls of a request were answered."""
        (end,) = [
            each for each in self.records if each.kind is RecordKind.END and each.activation == name
        ]
        assert end.answer is not None
        response = decode(end.answer)
        assert isinstance(response, dict)
        seen = json.loads(str(response["body"]))
        assert isinstance(seen, list)
        return seen

    def texts(self, kind: RecordKind | None = None) -> list[str]:
        """The texts of all records, or of one kind."""
        return [each.text for each in self.records if kind in (None, each.kind)]


def _args(record: Record) -> Any:
    assert record.args is not None
    return decode(record.args)


def _is_lost(record: Record) -> bool:
    return record.answer is not None and "Network connection lost" in record.answer


def run(
    flow: Script | Mapping[str, Script],
    scenario: Scenario | None = None,
    *misfortunes: Strike | Outage,
    engine: Engine | None = None,
    prefer: str = "",
) -> Ran:
    """Run once: what normally happens, except for the given misfortunes.

    Args:
        flow: The Workflow's `run`, or all programs by name.
        scenario: What the outside does; by default one request that creates instance a.
        misfortunes: Faults, in the order in which they strike; outages.
        engine: The engine; `prod` by default.
        prefer: Of choices that are open together, take the one whose description has this text.
    """
    scenario = scenario or scenario_of(request(create()))
    programs = dict(flow) if isinstance(flow, Mapping) else {FLOW: flow}
    programs.setdefault("fetch", client)
    make = scripted(**programs)
    keyed: frozenset[tuple[str, Read]] = frozenset()
    while True:
        try:
            model = Model(scenario, make(keyed), engine or Engine())
            return _Run(model, list(misfortunes), prefer).go()
        except NewRead as read:
            keyed |= {(read.program, read.read)}


class _Run:
    def __init__(self, model: Model, misfortunes: list[Strike | Outage], prefer: str) -> None:
        self._model = model
        self._strikes = [each for each in misfortunes if isinstance(each, Strike)]
        self._outages = [each for each in misfortunes if isinstance(each, Outage)]
        self._prefer = prefer
        self._tracer = Tracer()
        self._now_ms = 0

    def go(self) -> Ran:
        model, tracer = self._model, self._tracer
        world = model.initial
        for _ in range(STEPS_MAX):
            options = model.choices(world)
            option = self._struck(world, options) or self._normal(options)
            if option is None and self._outages:
                world = self._break(world)
                continue
            if option is None:
                assert not self._strikes, f"never struck: {self._strikes}"
                return Ran(model, tracer.trace)
            explained = model.explain(world, option)
            ms = explained.passed_ms
            if ms and self._outages and self._now_ms + ms > self._outages[0].at_ms:
                world = self._break(world)
                continue
            self._now_ms += ms
            tracer.take(explained, is_again=option.redeliveries > 0)
            world = explained.world
        raise AssertionError("the run does not end")

    def _normal(self, options: list[Option]) -> Option | None:
        normal = [each for each in options if not each.faults and not each.redeliveries]
        if self._prefer:
            for option in normal:
                if self._prefer in self._model.describe(option):
                    return option
        return normal[0] if normal else None

    def _struck(self, world: World, options: list[Option]) -> Option | None:
        if not self._strikes:
            return None
        strike = self._strikes[0]
        met = sum(
            record.kind is RecordKind.EFFECT and record.text.endswith(strike.effect)
            for record in self._tracer.trace.records
        )
        if met != strike.nth - 1:
            return None
        for option in options:
            if option.faults and any(
                isinstance(note, Note)
                and note.fault is strike.fault
                and note.struck.endswith(strike.effect)
                for note in self._model.explain(world, option).notes
            ):
                self._strikes.pop(0)
                return option
        return None

    def _break(self, world: World) -> World:
        outage = self._outages.pop(0)
        model = self._model
        ms = outage.at_ms - self._now_ms
        if ms:
            world = model._tick(world, ms)
            self._tracer.take(Explained(world, (), ms, None))
            self._now_ms = outage.at_ms
        slot = model.slot(instance_address(FLOW, outage.name))
        component = model._components[slot]
        assert isinstance(component, WorkflowInstance)
        local = model._locals[world[slot]]
        assert isinstance(local, Instance)
        turn = Turn(local, component._identity)
        crash(turn)
        broken = replace(turn.freeze(), back_ms=outage.until_ms - outage.at_ms)
        states = list(world)
        states[slot] = model._intern(slot, broken)
        return tuple(states)
