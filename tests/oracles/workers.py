"""Small scripted Workers of every shape, for the oracles that compare two ways to explore them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from eutaxy._base.scenario import FireSchedule, Scenario, Unique, WorkflowRows
from eutaxy._session.epoch import EPOCH_MS
from eutaxy.testing import (
    Failed,
    call,
    fetch,
    leave,
    now,
    race,
    sleep,
    step,
    timer,
    together,
    wait,
)
from tests.planted import expenses
from tests.unit.platform.lab import (
    FLOW,
    TARGET,
    after,
    client,
    create,
    event,
    fails,
    gives,
    request,
    retries,
    scenario_of,
    send,
    write,
)

Programs = Mapping[str, Callable[[Any], Any]]


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A Worker with the scenario, within which its whole tree of schedules can be walked."""

    programs: Programs
    scenario: Scenario


def writing(*marks: str, once: bool = False) -> Any:
    """A callback that leaves marks one after the other."""

    def callback(_: Any) -> Any:
        for mark in marks:
            yield write(mark, once=once)

    return callback


def _fetch_only(handle: Any, scenario: Scenario) -> Worker:
    return Worker(programs={"fetch": handle}, scenario=scenario)


def _flow(flow: Any, scenario: Scenario) -> Worker:
    return Worker(programs={"fetch": client, FLOW: flow}, scenario=scenario)


def _answer() -> Any:
    return {"status": 200, "headers": {}, "body": ""}


def _two_calls(_: Any) -> Any:
    yield together(write("x", once=True), write("y", once=True))
    yield write("z", once=True)
    return _answer()


def _left_alone(_: Any) -> Any:
    yield leave(write("x", once=True))
    yield write("y", once=True)
    return _answer()


def _raced(_: Any) -> Any:
    won = yield race(write("x", once=True), timer(5))
    if won == {"$": "undefined"}:
        yield write("late", once=True)
    return _answer()


def _parallel(_: Any) -> Any:
    yield together(step("a", writing("a", once=True)), step("b", gives(1)))


def _parallel_failing(_: Any) -> Any:
    try:
        yield together(step("a", fails(), retries(0, 0)), step("b", after(10, "b")))
    except Failed:
        yield step("undo", gives(None))


def _retried(_: Any) -> Any:
    yield step("s", writing("x"), {**retries(1, "10 seconds"), "timeout": "1 minute"})


def _flaky(_: Any) -> Any:
    def callback(context: Any) -> Any:
        if context["attempt"] == 1:
            raise Failed("Error", "once")
        return "ok"

    return (yield step("s", callback, retries(1, 1_000)))


def _timed_out(_: Any) -> Any:
    def slow(context: Any) -> Any:
        yield timer(3_000)
        yield write("zombie", once=True)

    try:
        yield step("s", slow, {**retries(0, 0), "timeout": "1 second"})
    except Failed:
        yield sleep("n", "5 seconds")


def _waiting(_: Any) -> Any:
    try:
        came = yield wait("w", type="t", timeout="1 second")
    except Failed:
        came = None
    yield step("s", gives(came is not None))


def _racing(_: Any) -> Any:
    won = yield race(wait("w", type="t", timeout="1 hour"), sleep("n", "1 second"))
    yield step("late" if won == {"$": "undefined"} else "event", gives(None))


def _sleeping(_: Any) -> Any:
    yield sleep("short", "2 seconds")
    yield step("s", gives(1))
    yield sleep("long", "10 minutes")


def _nested(_: Any) -> Any:
    def outer(context: Any) -> Any:
        yield step("inner", gives(1))
        yield write("outer", once=True)

    yield step("outer", outer, retries(0, 0))


def _non_retryable(_: Any) -> Any:
    try:
        yield step("bad", fails("m", "NonRetryableError"))
    except Failed:
        yield step("next", gives(1))


def _dangling(_: Any) -> Any:
    yield leave(step("left", writing("left", once=True)))
    return "done"


def _outside(_: Any) -> Any:
    yield fetch("GET", "https://log.example/write")
    yield step("s", gives(1))


def _clocked(_: Any) -> Any:
    at = yield now()
    yield sleep("n", "3 seconds")
    yield step(f"at {at}", gives(1))


def _by_hand(_: Any) -> Any:
    try:
        yield call(TARGET, "create", options={"params": 1})
    except Failed:
        yield call(TARGET, "create", options={"params": 1})
    return _answer()


def _subscribed(_: Any) -> Any:
    """Creates an instance and hears its events; a second delivery hears what is left."""
    try:
        yield call(TARGET, "create", options={"id": "a"})
        yield call(TARGET, "subscribe", id="a", options={})
        cursor = 5
        while True:
            told = yield call(TARGET, "next", id="a", options={"cursor": cursor})
            if told["done"]:
                return _answer()
            cursor = told["value"]["eventId"]
            yield write(told["value"]["type"], once=True)
    except Failed:
        return _answer()


def _short(_: Any) -> Any:
    yield step("s", gives(1))
    yield sleep("n", "1 second")


def _fired(given: Any) -> Any:
    yield step("s", writing(given["instanceId"], once=True))
    yield step("tidy", _deletes(given["instanceId"]))


def _deletes(instance: str) -> Any:
    def callback(_: Any) -> Any:
        yield call(TARGET, "delete", id=instance)

    return callback


def _firing(name: str, due_ms: int) -> FireSchedule:
    scheduled_ms = EPOCH_MS + due_ms
    return FireSchedule(
        name=name, binding=FLOW, cron="* * * * *", due_ms=due_ms, scheduled_ms=scheduled_ms
    )


def _instant(_: Any) -> Any:
    yield from ()


ONE_RUN = Unique(name="one-run", rows=WorkflowRows(binding=FLOW), key_path="params")

_one = scenario_of(request(create()), faults=1)
_event = scenario_of(request(create()), request(event("A")), faults=1)

WORKERS: dict[str, Worker] = {
    "planted expenses": Worker(
        programs=expenses.programs(is_fixed=False),
        scenario=expenses.scenario(faults=1, redeliveries=1),
    ),
    "fixed expenses": Worker(
        programs=expenses.programs(is_fixed=True),
        scenario=expenses.scenario(faults=1, redeliveries=1),
    ),
    "fixed expenses, two faults": Worker(
        programs=expenses.programs(is_fixed=True),
        scenario=expenses.scenario(faults=2, redeliveries=0),
    ),
    "fixed expenses, two at once": Worker(
        programs=expenses.programs(is_fixed=True),
        scenario=expenses.scenario(faults=1, redeliveries=0, concurrent=2),
    ),
    "two calls at once": _fetch_only(_two_calls, scenario_of(request(), faults=2)),
    "two calls at once, redelivered beside": _fetch_only(
        _two_calls, scenario_of(request(), faults=0, redeliveries=1, concurrent=2)
    ),
    "a call left alone": _fetch_only(_left_alone, scenario_of(request(), faults=2)),
    "a call against a timer": _fetch_only(_raced, scenario_of(request(), faults=2)),
    "two instances by accident": Worker(
        programs={"fetch": _by_hand, FLOW: _instant},
        scenario=scenario_of(request(), faults=1, redeliveries=0, invariants=(ONE_RUN,)),
    ),
    "parallel steps": _flow(_parallel, _one),
    "a failing parallel step": _flow(_parallel_failing, _one),
    "a retried step": _flow(_retried, scenario_of(request(create()), faults=1, invariants=())),
    "a flaky step": _flow(_flaky, scenario_of(request(create()), faults=2)),
    "a step that times out": _flow(_timed_out, scenario_of(request(create()), faults=2)),
    "a wait with a timeout": _flow(_waiting, _event),
    "a wait against a sleep": _flow(_racing, _event),
    "two events": _flow(
        _waiting, scenario_of(request(create()), request(event("A"), event("B")), faults=1)
    ),
    "sleeps": _flow(_sleeping, scenario_of(request(create()), faults=2)),
    "nested steps": _flow(_nested, scenario_of(request(create()), faults=2)),
    "a non-retryable failure": _flow(_non_retryable, scenario_of(request(create()), faults=2)),
    "a dangling step": _flow(_dangling, scenario_of(request(create()), faults=2)),
    "a call outside of steps": _flow(_outside, scenario_of(request(create()), faults=2)),
    "a clock": _flow(_clocked, scenario_of(request(create()), faults=1)),
    "two at once": _flow(
        _outside, scenario_of(request(create()), request(create("b")), concurrent=2, faults=0)
    ),
    "a subscription": Worker(
        programs={"fetch": _subscribed, FLOW: _short},
        scenario=scenario_of(request(), faults=1),
    ),
    "an id that is free again": _flow(
        _instant,
        scenario_of(
            request(send("create", options={"id": "a", "retention": {"successRetention": 1_500}})),
            request(create(), at=3_000),
            faults=1,
            redeliveries=1,
        ),
    ),
    "a schedule": _flow(
        _fired,
        replace(
            scenario_of(request(), faults=1, redeliveries=1),
            drive=(_firing("cron-1", 0), _firing("cron-2", 60_000)),
        ),
    ),
    "status while it runs": _flow(
        _sleeping,
        scenario_of(request(create()), request(send("status", id="a"), at=2_000), faults=1),
    ),
}
