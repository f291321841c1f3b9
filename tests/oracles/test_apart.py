"""Keeping apart what shares nothing: the same ends of runs as all interleavings, or no claim."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import pytest

from eutaxy._base.scenario import DirectCall, Scenario, Timing
from eutaxy._base.value import encode
from eutaxy._explore.search import Found, Limits, Search
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.apart import SearchedApart, search_apart
from eutaxy._session.model import Model
from eutaxy.testing import Failed, scripted, sleep, step, timer, together, wait
from tests.oracles.test_platform import Keyed, with_reads
from tests.unit.platform.lab import (
    FLOW,
    client,
    create,
    event,
    request,
    retries,
    scenario_of,
    send,
    status,
    write,
)


@dataclass(frozen=True)
class Ended:
    """A driver event that ends an instance by itself, without a request that could wait."""

    instance: str


def _pays(given: Any) -> Any:
    """Waits for an event, then leaves marks that nobody else leaves."""
    mine = given["payload"]
    came = yield wait("w", type="t", timeout="1 hour")

    def pay(_: Any) -> Any:
        yield write(f"first {mine}")
        yield write(f"{mine} {came['payload']}", once=True)

    yield step("pay", pay, retries(1, 500))


def _shares(given: Any) -> Any:
    """Leaves a mark of its own, and one that others leave, too."""
    mine = given["payload"]
    yield step("own", lambda _: (yield write(f"own {mine}", once=True)))
    yield step("shared", lambda _: (yield write("shared", once=True)))


def _naps(given: Any) -> Any:
    mine = given["payload"]
    yield sleep("nap", "1 second")

    def slow(_: Any) -> Any:
        yield timer(300)
        yield write(f"{mine}", once=True)

    try:
        yield step("slow", slow, {**retries(0, 0), "timeout": "1 second"})
    except Failed:
        yield step("undo", lambda _: (yield write(f"undo {mine}")))


def _pairs(given: Any) -> Any:
    mine = given["payload"]
    yield together(
        step("x", lambda _: (yield write(f"x {mine}", once=True))),
        step("y", lambda _: (yield write(f"y {mine}", once=True))),
    )


def _filed(*names: str) -> list[Any]:
    return [request(create(each, params=each)) for each in names]


def _decided(*names: str) -> list[Any]:
    return [request(event(f"yes {each}", name=each)) for each in names]


def _steps(given: Any) -> Any:
    mine = given["payload"]
    yield step("s", lambda _: (yield write(f"s {mine}", once=True)))


def _two_marks(given: Any) -> Any:
    mine = given["payload"]
    yield step("one", lambda _: (yield write(f"one {mine}", once=True)))
    yield step("two", lambda _: (yield write(f"two {mine}", once=True)))


def _naps_and_steps(given: Any) -> Any:
    yield sleep("nap", "1 second")
    yield from _steps(given)


def _asking(given: Any) -> Any:
    """A `fetch` handler whose mark tells which status it saw."""
    calls = json.loads(given["body"])
    answer = yield from client(given)
    for (operation, args), seen in zip(calls, json.loads(answer["body"]), strict=True):
        if operation == "status":
            yield write(f"{args['id']} is {seen.get('status', 'not there')}", once=True)
    return answer


INDEPENDENT = {
    "filed, then decided": (_pays, [*_filed("a", "b"), *_decided("a", "b")]),
    "decided backwards": (_pays, [*_filed("a", "b"), *_decided("b", "a")]),
    "one inside the other": (_pays, [*_filed("a"), *_filed("b"), *_decided("a"), *_decided("b")]),
    "asked in between": (_pays, [*_filed("a", "b"), request(status("a")), *_decided("b", "a")]),
    "ended in between": (
        _pays,
        [*_filed("a", "b"), request(send("terminate", id="b", options={"$": "undefined"}))],
    ),
    "naps": (_naps, _filed("a", "b")),
    "parallel steps": (_pairs, _filed("a", "b")),
    "three": (_naps, _filed("a", "b", "c")),
    "asked crosswise": (
        _steps,
        [*_filed("a", "b"), request(status("b")), request(status("a"))],
    ),
    "due in the middle": (
        _naps_and_steps,
        [*_filed("a"), request(create("b", params="b"), at=1_000), request(status("a"))],
    ),
    "ended crosswise": (_two_marks, [*_filed("a", "b"), Ended("b"), Ended("a")]),
    "at given times": (_naps, [request(create("a", params="a"), at=0), *_filed("b")]),
}
DEPENDENT = {
    "a shared key": (_shares, _filed("a", "b")),
    "one key for two contents": (
        lambda given: (yield step("s", lambda _: (yield write(given["payload"], key="same")))),
        _filed("a", "b"),
    ),
    "one request touches both": (
        _pays,
        [*_filed("a", "b"), request(event("e", name="a"), event("e", name="b"))],
    ),
}


def _model(flow: Any, scenario: Scenario, keyed: Keyed, groups: Any = None) -> Model:
    code = scripted(fetch=_asking, **{FLOW: flow})(keyed, is_factored=True)
    return Model(scenario, code, Engine(), groups=groups)


def _searched(model: Model, scenario: Scenario, *, stops_at_bad: bool = False) -> Found:
    bounds = scenario.bounds
    limits = Limits(bounds.max_faults, bounds.max_redeliveries, stops_at_bad=stops_at_bad)
    return Search(model, limits).run()


def _apart(flow: Any, scenario: Scenario, keyed: Keyed) -> SearchedApart | None:
    return search_apart(
        scenario,
        lambda groups: _model(flow, scenario, keyed, groups),
        lambda model: _searched(model, scenario, stops_at_bad=True),
    )


def ends_of(model: Model, found: Found) -> dict[Any, int]:
    """The fewest faults that lead to each world at rest, by what it holds."""
    graph = found.graph
    return {
        tuple(model.locals_of(world)): graph.fewest[number]
        for number, world in enumerate(graph.worlds)
        if graph.is_resting[number]
    }


def _scenario(*events: Any, faults: int, redeliveries: int = 0, concurrent: int = 2) -> Scenario:
    """A scenario in which nothing counts as bad, so that no run ends early."""
    scenario = scenario_of(
        *(each for each in events if not isinstance(each, Ended)),
        faults=faults,
        redeliveries=redeliveries,
        concurrent=concurrent,
        invariants=(),
    )
    calls = tuple(
        DirectCall(
            name=f"call-{each.instance}",
            binding=FLOW,
            operation="terminate",
            args=encode({"id": each.instance, "options": {"$": "undefined"}}),
            timing=Timing(after_ms=1_000),
        )
        for each in events
        if isinstance(each, Ended)
    )
    return replace(scenario, without=("unkeyed-repeat",), drive=(*scenario.drive, *calls))


def _scenarios(requests: list[Any]) -> list[Scenario]:
    return [
        _scenario(*requests, faults=faults, redeliveries=again, concurrent=concurrent)
        for faults, again, concurrent in (
            (0, 1, 2),
            (1, 0, 2),
            (2, 0, 2),
            (1, 1, 2),
            (0, 0, 3),
            (1, 0, 3),
        )
        if len(requests) < 3 or faults + again < 2
    ]


@pytest.mark.parametrize(("flow", "requests"), INDEPENDENT.values(), ids=list(INDEPENDENT))
def test_every_end_of_a_run_is_still_reached(flow: Any, requests: list[Any]) -> None:
    for scenario in _scenarios(requests):

        def work(keyed: Keyed, scenario: Scenario = scenario) -> None:
            whole = _model(flow, scenario, keyed)
            found = _searched(whole, scenario)
            apart = _apart(flow, scenario, keyed)
            assert apart is not None
            assert len(apart.groups) > 1
            assert apart.found.complete == found.complete
            # A group that waits takes up no slot, so ends may be added, but none is lost.
            ends = ends_of(apart.model, apart.found)
            for end, faults in ends_of(whole, found).items():
                assert ends.get(end, math.inf) <= faults

        with_reads(work)


def test_fewer_worlds_are_visited() -> None:
    scenario = _scenario(*_filed("a", "b", "c"), faults=1, concurrent=3)

    def work(keyed: Keyed) -> None:
        apart = _apart(_naps_and_steps, scenario, keyed)
        assert apart is not None
        whole = _searched(_model(_naps_and_steps, scenario, keyed), scenario)
        assert 4 * apart.found.transitions < whole.transitions

    with_reads(work)


@pytest.mark.parametrize(("flow", "requests"), DEPENDENT.values(), ids=list(DEPENDENT))
def test_what_shares_something_is_not_kept_apart(flow: Any, requests: list[Any]) -> None:
    scenario = _scenario(*requests, faults=1)
    with_reads(lambda keyed: _expect_none(_apart(flow, scenario, keyed)))


def _expect_none(apart: SearchedApart | None) -> None:
    assert apart is None


def test_what_shares_something_joins_one_group_and_others_stay_apart() -> None:
    def flow(given: Any) -> Any:
        mark = "shared" if given["payload"] in "ab" else given["payload"]
        yield step("pay", lambda _: (yield write(mark, once=True)))

    scenario = _scenario(*_filed("a", "c", "b"), faults=1)

    def work(keyed: Keyed) -> None:
        apart = _apart(flow, scenario, keyed)
        assert apart is not None
        assert sorted(apart.groups) == [("req-1", "req-3"), ("req-2",)]

    with_reads(work)


def test_something_bad_leaves_the_word_to_the_search_of_all_orders() -> None:
    scenario = scenario_of(*_filed("a", "b"), *_decided("a", "b"), faults=1, concurrent=2)
    assert scenario.invariants

    def work(keyed: Keyed) -> None:
        assert _searched(_model(_pays, scenario, keyed), scenario).bad
        assert _apart(_pays, scenario, keyed) is None

    with_reads(work)


def test_one_at_a_time_is_not_reduced() -> None:
    scenario = _scenario(*_filed("a", "b"), faults=1, concurrent=1)
    with_reads(lambda keyed: _expect_none(_apart(_naps, scenario, keyed)))


def test_an_event_that_waits_for_another_is_not_reduced() -> None:
    scenario = _scenario(*_filed("a", "b"), faults=1)
    first, second = scenario.drive
    waiting = replace(second, timing=replace(second.timing, after_event=first.name))
    tied = replace(scenario, drive=(first, waiting))
    with_reads(lambda keyed: _expect_none(_apart(_naps, tied, keyed)))
