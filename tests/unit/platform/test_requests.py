"""Driver events, their redelivery, and the calls that requests make."""

from __future__ import annotations

from typing import Any

import pytest

from eutaxy._base.code import (
    NO_LIFE,
    Answer,
    Effect,
    EffectKind,
    Entry,
    LifeId,
    Move,
    NodeId,
    Reaction,
    Read,
    Returned,
)
from eutaxy._base.fault import Fault
from eutaxy._base.record import RecordKind
from eutaxy._base.value import Value, encode
from eutaxy._explore.path import first_path
from eutaxy._explore.trace import trace_of
from eutaxy._platform.requests.driver import DRIVER, DriverState
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy.errors import ScenarioError, UnmodelledError
from eutaxy.testing import Failed, call, fetch, leave, now, scripted, timer, together
from tests.unit.platform.lab import Ran, Strike, request, run, scenario_of, write

S = 1_000


def _answer() -> Any:
    return {"status": 200, "headers": {}, "body": ""}


def handling(*marks: str) -> Any:
    """A handler that writes and answers."""

    def handle(_: Any) -> Any:
        for mark in marks:
            yield write(mark)
        return _answer()

    return {"fetch": handle}


def starts(ran: Ran) -> list[tuple[int, str]]:
    return [(each.at_ms, each.activation) for each in ran.records if each.kind is RecordKind.START]


# -- pace -------------------------------------------------------------------------------------


def test_events_that_name_no_time_are_a_second_apart() -> None:
    ran = run(handling("w"), scenario_of(request(), request(), request()))
    assert starts(ran) == [(0, "req-1"), (1 * S, "req-2"), (2 * S, "req-3")]


def test_events_come_at_the_times_they_name() -> None:
    ran = run(handling("w"), scenario_of(request(at=500), request(at=500), request(at=9_000)))
    assert starts(ran) == [(500, "req-1"), (500, "req-2"), (9 * S, "req-3")]


def _slow(_: Any) -> Any:
    yield timer(10 * S)
    yield write("w")
    return _answer()


def test_a_request_that_only_waits_holds_no_slot() -> None:
    ran = run({"fetch": _slow}, scenario_of(request(), request()))
    assert starts(ran) == [(0, "req-1"), (1 * S, "req-2")]
    assert [at for at, _ in ran.writes] == [10 * S, 11 * S]


@pytest.mark.parametrize(("concurrent", "may_overlap"), [(1, False), (2, True)])
def test_requests_overlap_only_within_the_bound(concurrent: int, *, may_overlap: bool) -> None:
    model = Model(
        scenario_of(request(), request(), concurrent=concurrent),
        scripted(**handling("w"))(),
        Engine(),
    )
    begun = model.step(model.initial, model.choices(model.initial)[0])
    offered = [model.describe(option) for option in model.choices(begun)]
    assert any("Deliver(index=1" in text for text in offered) is may_overlap


def test_a_request_with_a_time_of_its_own_never_comes_early() -> None:
    model = Model(
        scenario_of(request(), request(at=5_000), concurrent=2),
        scripted(**handling("w"))(),
        Engine(),
    )
    begun = model.step(model.initial, model.choices(model.initial)[0])
    assert not any("Deliver" in model.describe(option) for option in model.choices(begun))


# -- redelivery -------------------------------------------------------------------------------


def _redelivered(model: Model, *wanted: str) -> list[str]:
    """Take the choices that have these texts, in order, else what normally happens."""
    world, path, left = model.initial, [], list(wanted)
    for _ in range(100):
        options = model.choices(world)
        texts = [model.describe(option) for option in options]
        number = next((at for at, text in enumerate(texts) if left and left[0] in text), None)
        if number is not None:
            left.pop(0)
        elif all(option.redeliveries or option.faults for option in options):
            break
        else:
            number = 0
        path.append(number)
        world = model.step(world, options[number])
    assert not left
    trace = trace_of(model, path)
    return [each.activation for each in trace.records if each.kind is RecordKind.START]


def test_a_redelivery_is_a_second_activation_of_the_same_event() -> None:
    scenario = scenario_of(request(), request(), redeliveries=2)
    model = Model(scenario, scripted(**handling("w"))(), Engine())
    again = "Deliver(index=0, is_again=True)"
    assert _redelivered(model, again, again) == ["req-1", "req-1/2", "req-1/3", "req-2"]


def test_a_redelivery_may_come_beside_the_first_delivery() -> None:
    scenario = scenario_of(request(), redeliveries=1, concurrent=2)
    model = Model(scenario, scripted(**handling("w"))(), Engine())
    begun = model.step(model.initial, model.choices(model.initial)[0])
    (again,) = [option for option in model.choices(begun) if option.redeliveries]
    both = model.local(model.step(begun, again), DRIVER)
    assert isinstance(both, DriverState)
    assert both.in_flight == ((0, 0), (0, 1))


def test_an_event_is_not_redelivered_before_it_was_delivered() -> None:
    model = Model(scenario_of(request(at=9), redeliveries=1), scripted(**handling("w"))(), Engine())
    assert not any(option.redeliveries for option in model.choices(model.initial))


# -- calls ------------------------------------------------------------------------------------


def test_a_call_that_nobody_awaits_still_happens() -> None:
    """WU3."""

    def handle(_: Any) -> Any:
        yield leave(write("left"))
        return _answer()

    ran = run({"fetch": handle})
    assert ran.writes == [(0, "left")]
    end = next(each.seq for each in ran.records if each.kind is RecordKind.END)
    effect = next(each.seq for each in ran.records if each.kind is RecordKind.EFFECT)
    assert end < effect


def test_two_calls_at_once_are_applied_and_heard_in_any_order() -> None:
    def handle(_: Any) -> Any:
        yield together(write("x"), write("y"))
        return _answer()

    model = Model(scenario_of(request()), scripted(fetch=handle)(), Engine())
    begun = model.step(model.initial, model.choices(model.initial)[0])
    normal = [option for option in model.choices(begun) if not option.faults]
    assert len(normal) == 2
    one_applied = model.step(begun, normal[0])
    # Hear the first answer, or apply the second call before.
    assert len([option for option in model.choices(one_applied) if not option.faults]) == 2


def test_a_lost_call_throws_what_the_platform_throws() -> None:
    def handle(_: Any) -> Any:
        try:
            yield write("w")
        except Failed as failed:
            return {"status": 500, "headers": {}, "body": f"{failed.name} {failed.properties}"}

    ran = run({"fetch": handle}, None, Strike(fault=Fault.REQUEST_LOST, effect="POST"))
    end = next(each for each in ran.records if each.kind is RecordKind.END)
    assert end.answer is not None
    assert "retryable" in end.answer


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://other.example/x", "no external is declared for host 'other.example'"),
        ("https://log.example/x", "no declared response matches POST /x"),
    ],
)
def test_a_call_that_nothing_answers_is_the_user_s_error(url: str, says: str) -> None:
    def handle(_: Any) -> Any:
        yield fetch("POST", url, {"key": "k"})
        return _answer()

    with pytest.raises(ScenarioError) as error:
        run({"fetch": handle})
    assert says in error.value.found


def test_a_binding_that_is_not_set_up_is_unmodelled() -> None:
    def handle(_: Any) -> Any:
        yield call("Workflow:OTHER", "create")
        return _answer()

    with pytest.raises(UnmodelledError) as error:
        run({"fetch": handle})
    assert "'OTHER'" in error.value.found


def test_an_unknown_method_of_an_instance_is_unmodelled() -> None:
    def handle(_: Any) -> Any:
        yield call("Workflow:FLOW", "create", options={"id": "a"})
        yield call("Workflow:FLOW", "dance", id="a")
        return _answer()

    def flow(_: Any) -> Any:
        yield from ()

    with pytest.raises(UnmodelledError) as error:
        run({"fetch": handle, "FLOW": flow})
    assert "dance" in error.value.doing


def test_a_clock_in_a_handler_tells_virtual_time() -> None:
    def handle(_: Any) -> Any:
        first = yield now()
        yield timer(1_500)
        second = yield now()
        return {"status": 200, "headers": {}, "body": f"{first} {second}"}

    ran = run({"fetch": handle}, scenario_of(request(), request(at=7_000)))
    ends = [each.answer or "" for each in ran.records if each.kind is RecordKind.END]
    assert ['"0 1500"' in ends[0], '"7000 8500"' in ends[1]] == [True, True]


# -- waitUntil --------------------------------------------------------------------------------


class Holding:
    """A handler that answers at once and keeps a write in `waitUntil`, then does another."""

    def start(self, entry: Entry) -> Reaction:
        return Reaction(NO_LIFE, NodeId(0), (_write(1),), Returned(encode(_answer())), is_held=True)

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        assert isinstance(move, Answer)
        if move.ordinal == 1:
            return Reaction(NO_LIFE, NodeId(1), (_write(2),), None, is_held=True)
        return Reaction(NO_LIFE, NodeId(2), (), None, is_held=False)

    def reads(self, program: str) -> frozenset[Read]:
        return frozenset()

    def require(self, program: str, read: Read) -> None:
        raise AssertionError(program)

    def place_of(self, thrown: Value) -> str:
        return ""


def _write(ordinal: int) -> Effect:
    ask = write(f"w{ordinal}")
    return Effect(ordinal, EffectKind.CALL, ask.name, ask.operation, encode(ask.args))


def test_a_request_ends_when_no_wait_until_work_is_open() -> None:
    """WU1."""
    model = Model(scenario_of(request()), Holding(), Engine())
    trace = trace_of(model, first_path(model))
    assert [each.kind for each in trace.records] == [
        RecordKind.START,
        RecordKind.END,
        RecordKind.EFFECT,
        RecordKind.EFFECT,
    ]
    driver = model.local(trace.end, DRIVER)
    assert isinstance(driver, DriverState)
    assert driver.in_flight == ()
