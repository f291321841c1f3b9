"""Plays the drive of a program on the model, by hand and in virtual time.

What normally happens, happens: faults are never chosen. Everything that can go on without time
passing takes its turn in the order in which it became possible, as it would in a process whose
steps all take equally long. Conditions of the drive are looked at when nothing more can happen
before time passes (the recorder looks at them every 25 ms).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from eutaxy._base.code import Read, UserCode
from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._base.scenario import HttpRequest
from eutaxy._base.value import Value, decode, encode
from eutaxy._platform.call import Act, Fate, Hear
from eutaxy._platform.externals.service import external_address
from eutaxy._platform.requests.driver import request_address
from eutaxy._platform.requests.messages import Begin
from eutaxy._platform.requests.request import RequestState
from eutaxy._platform.workflows.choices import CrashIdle
from eutaxy._platform.workflows.instance import instance_address
from eutaxy._platform.workflows.state import Instance
from eutaxy._platform.workflows.status import status_value
from eutaxy._world.component import Address, Component, Gate
from eutaxy._world.system import System
from eutaxy._world.world import World
from tests.conformance.outside import Mark, RecordingService, recorded_calls
from tests.conformance.programs import LOG_HOST, Json, Program

STEPS_MAX = 20_000
START_MS = 500
"""How long a new engine process takes to start after a crash."""

STEP_OUTPUTS = "__LOCAL_DEV_STEP_OUTPUTS"


@dataclass(frozen=True, slots=True)
class Until:
    """What a task waits for; `due_ms` is when time alone makes it true."""

    holds: Callable[[], bool]
    is_patient: bool = False
    due_ms: int | None = None


class Stuck(Exception):
    """Nothing more can happen, and the drive still waits for something."""


Task: TypeAlias = Generator[Until, None, Any]


class Stage:
    """One program on the model.

    Args:
        program: The program.
        system: Its components.
        code: Its code.
        components: The components made so far, by address.
    """

    def __init__(
        self,
        program: Program,
        system: System,
        code: UserCode,
        components: dict[Address, Component],
        requests: dict[str, HttpRequest],
    ) -> None:
        self._program = program
        self._system = system
        self._code = code
        self._components = components
        self._requests = requests
        self._world: World = system.initial
        self._now = 0
        self._offered: dict[tuple[Address, Hashable], int] = {}
        self._turns = 0
        self._held: dict[tuple[Address, str, int], int] = {}
        self._answers: dict[str, Value | None] = {}
        self._background: list[tuple[Task, Until]] = []

    def play(self) -> Json:
        """Carry out the drive, wait for the end, and give what was observed."""
        outcomes = [self._run(self._entry(entry)) for entry in self._program.drive]
        for condition in self._program.end:
            self._run(self._until(condition))
        self._finish_background()
        self._run(self._pass(self._program.linger_ms))
        calls = self._calls()
        statuses = {
            f"{binding}/{instance_id}": self._run(self._status(binding, instance_id))
            for binding, instance_id in self._program.instances
        }
        return {"drive": outcomes, "calls": calls, "instances": statuses}

    # -- entries of the drive -------------------------------------------------------------------

    def _entry(self, entry: Json) -> Task:
        if "when" in entry:
            yield from self._until(entry["when"])
        if "after_ms" in entry:
            yield from self._pass(entry["after_ms"])
        outcome = None
        if "marks" in entry:
            self._begin_marks(entry.get("on", LOG_HOST), entry["marks"])
        elif "crash" in entry:
            yield from self._crash(entry["crash"]["down_ms"])
        elif "request" in entry:
            outcome = yield from self._http(entry["request"])
        elif "together" in entry:
            outcome = yield from self._together(entry["together"])
        elif "call" in entry:
            outcome = yield from self._call(entry)
            if entry["call"] == "status" and "ok" in outcome:
                outcome = {"ok": self._shown(outcome["ok"])}
        return None if entry.get("outcome") == "unstable" else outcome

    def _until(self, condition: Json) -> Task:
        yield Until(lambda: self._is_true(condition), is_patient=True)

    def _pass(self, ms: int) -> Task:
        due = self._now + ms
        yield Until(lambda: self._now >= due, due_ms=due)

    def _together(self, entries: list[Json]) -> Task:
        tasks = [self._entry(entry) for entry in entries]
        found: dict[int, Any] = {}
        for index, task in enumerate(tasks):
            self._start(task, partial(found.__setitem__, index))
        yield Until(lambda: len(found) == len(tasks))
        return sorted((found[index] for index in range(len(tasks))), key=json.dumps)

    def _call(self, entry: Json) -> Task:
        action = {key: entry[key] for key in ("call", "workflow", "id", "argument") if key in entry}
        body = json.dumps(action)
        answer = yield from self._http({"method": "POST", "path": "/__drive", "body": body})
        assert answer["status"] == 200, answer
        return json.loads(answer["body"])

    def _status(self, binding: str, instance_id: str) -> Task:
        answer = yield from self._call({"call": "status", "workflow": binding, "id": instance_id})
        return self._shown(answer["ok"]) if "ok" in answer else answer

    def _shown(self, status: Json) -> Json:
        plain = {key: value for key, value in status.items() if key != STEP_OUTPUTS}
        if self._program.has_step_outputs:
            plain["step_outputs"] = status.get(STEP_OUTPUTS)
        return plain

    def _http(self, request: Json) -> Task:
        name = f"req-{len(self._requests) + 1}"
        self._requests[name] = HttpRequest(
            name=name,
            method=request.get("method", "GET"),
            url=f"http://{self._program.name}.test{request['path']}",
            headers=tuple((key.lower(), each) for key, each in request.get("headers", {}).items()),
            body=encode(request.get("body")),
        )
        programs = ("fetch", *(each["class"] for each in self._program.workflows.values()))
        has_clock = any(Read.CLOCK in self._code.reads(each) for each in programs)
        now = self._now if has_clock else 0
        self._send(request_address(name, 0), Begin(0, 0, len(self._requests), now))
        yield Until(lambda: name in self._answers)
        answer = self._answers[name]
        assert answer is not None, f"{request} was not answered: the handler threw"
        response: Any = decode(answer)
        return {"status": response["status"], "body": response["body"] or ""}

    def _begin_marks(self, host: str, times: list[int]) -> None:
        def marking() -> Task:
            start = self._now
            for time in times:
                yield from self._pass(start + time - self._now)
                self._send(external_address(host), Mark(f"{time} ms"))

        self._start(marking(), lambda _: None)

    def _crash(self, down_ms: int) -> Task:
        self._held.clear()
        for address, local in self._system.locals_of(self._world):
            if isinstance(local, Instance):
                self._send(address, CrashIdle())
        yield from self._pass(down_ms + START_MS)

    # -- the clockwork --------------------------------------------------------------------------

    def _run(self, task: Task) -> Any:
        """Let things happen until the task has ended; its result."""
        found: list[Any] = []
        self._start(task, found.append)
        while not found:
            self._go_on(f"{self._program.name}: nothing more happens")
        return found[0]

    def _finish_background(self) -> None:
        while self._background:
            self._go_on(f"{self._program.name}: marks without end")

    def _start(self, task: Task, then: Callable[[Any], None]) -> None:
        def wrapped() -> Task:
            then((yield from task))

        self._resume(wrapped())

    def _resume(self, task: Task) -> None:
        while True:
            try:
                until = next(task)
            except StopIteration:
                return
            if not until.holds():
                self._background.append((task, until))
                return

    def _wake(self, *, is_quiet: bool) -> bool:
        for index, (task, until) in enumerate(self._background):
            if (is_quiet or not until.is_patient) and until.holds():
                del self._background[index]
                self._resume(task)
                return True
        return False

    def _go_on(self, doing: str) -> None:
        """One thing happens: a task goes on, a choice is taken, or time passes."""
        self._turns += 1
        assert self._turns < STEPS_MAX, f"{doing}: endless"
        if self._wake(is_quiet=False):
            return
        offer = self._next_offer()
        if offer is not None:
            self._take(*offer)
        elif not self._wake(is_quiet=True):
            self._let_time_pass(doing)

    def _next_offer(self) -> tuple[Address, Hashable] | None:
        """What has been possible for longest."""
        offers: dict[tuple[Address, Hashable], int] = {}
        for address, local in self._system.locals_of(self._world):
            for choice in self._components[address].choices(local):
                is_normal = choice.fault is None and choice.gate not in (Gate.AGAIN, Gate.OVERLAP)
                key = (address, choice.message)
                if is_normal and not self._is_held(*key):
                    offers[key] = self._offered.get(key, self._turns)
        self._offered = offers
        return min(offers, key=lambda each: offers[each]) if offers else None

    def _is_held(self, address: Address, message: Hashable) -> bool:
        if not isinstance(message, Hear):
            return False
        return self._held.get((address, message.fiber, message.ordinal), 0) > self._now

    def _take(self, address: Address, message: Hashable) -> None:
        if isinstance(message, Act):
            delay = self._delay_of(address, message)
            if delay:
                self._held[address, message.fiber, message.ordinal] = self._now + delay
                message = Act(message.fiber, message.ordinal, Fate.ANSWER_LATE)
        elif isinstance(message, Hear):
            self._held.pop((address, message.fiber, message.ordinal), None)
        self._send(address, message)

    def _delay_of(self, address: Address, act: Act) -> int:
        local: Any = self._system.local(self._world, address)
        is_request = isinstance(local, RequestState)
        fiber = local.fiber if is_request else dict(local.live.fibers)[act.fiber]
        effect = fiber.find(act.ordinal).effect
        if effect.name != "Fetch":
            return 0
        host = str(decode(effect.args)["url"]).split("/")[2]  # type: ignore[index,call-overload]
        service = self._components[external_address(host)]
        assert isinstance(service, RecordingService)
        return service.delay_ms(self._system.local(self._world, external_address(host)), effect)

    def _send(self, address: Address, message: Hashable) -> None:
        told = self._system.explain(self._world, self._system.sent(address, message))
        self._world = told.world
        for note in told.notes:
            if not isinstance(note, Note) or note.kind is not RecordKind.END:
                continue
            if note.source.startswith("request/"):
                self._answers[note.activation] = note.answer if note.text == "answered" else None

    def _let_time_pass(self, doing: str) -> None:
        dues = [due for due in self._held.values() if due > self._now]
        dues += [until.due_ms for _, until in self._background if until.due_ms is not None]
        timers = [
            self._components[address].next_timer(local)
            for address, local in self._system.locals_of(self._world)
        ]
        dues += [self._now + timer for timer in timers if timer]
        if not dues:
            raise Stuck(f"{doing}, at {self._now} ms")
        ms = min(dues) - self._now
        self._world = self._system.step(self._world, self._system.passed(ms))
        self._now += ms

    # -- what can be observed -------------------------------------------------------------------

    def _is_true(self, condition: Json) -> bool:
        if "calls" in condition:
            host, count, *path = condition["calls"]
            calls: Any = self._system.local(self._world, external_address(host))
            seen = sum(1 for call in calls if not call.mark and (not path or call.path == path[0]))
            return seen >= int(count)
        binding, instance_id, wanted = condition["status"]
        local = self._system.local(self._world, instance_address(binding, instance_id))
        if not isinstance(local, Instance):
            return False
        status: Any = decode(status_value(local))
        return str(status["status"]) in ([wanted] if isinstance(wanted, str) else wanted)

    def _calls(self) -> Json:
        found: Json = {}
        for host in sorted(self._program.services):
            calls: Any = self._system.local(self._world, external_address(host))
            if calls:
                order = self._program.services[host].get("order", "total")
                found[host] = recorded_calls(calls, order)
        return found
