"""Steps beside each other, taken one by one: the same verdicts as in every order, or no claim."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.scenario import CannedResponse, Implies, Scenario, Seen, Selector
from eutaxy._base.scenario import Keyed as KeyedBy
from eutaxy._base.value import Plain
from eutaxy._check.monitors import Marks, monitor_address
from eutaxy._explore.search import Found, Limits, Search
from eutaxy._explore.trace import trace_of
from eutaxy._platform.workflows.profile import Engine
from eutaxy._platform.workflows.state import Instance
from eutaxy._session.model import Model
from eutaxy._session.one_by_one import SearchedOneByOne, plain_path, search_one_by_one
from eutaxy.testing import Failed, fetch, race, scripted, sleep, step, timer, together
from tests.oracles.test_platform import Keyed, with_reads
from tests.unit.platform.lab import (
    FLOW,
    client,
    create,
    request,
    retries,
    scenario_of,
    send,
    write,
)

OFTEN = retries(3, 500)


def _leaving(*marks: str, once: bool = False, key: str = "") -> Any:
    def callback(_: Any) -> Any:
        for mark in marks:
            yield write(mark, once=once, key=key)

    return callback


def _two(given: Any) -> Any:
    yield together(step("x", _leaving("x"), OFTEN), step("y", _leaving("y"), OFTEN))


def _two_keyed(given: Any) -> Any:
    yield together(
        step("x", _leaving("x", once=True), OFTEN), step("y", _leaving("y", once=True), OFTEN)
    )


def _slow(given: Any) -> Any:
    def slow(mark: str) -> Any:
        def callback(_: Any) -> Any:
            yield timer(700)
            yield write(mark)

        return callback

    config = {**OFTEN, "timeout": "1 second"}
    yield together(step("x", slow("x"), config), step("y", slow("y"), config))


INDEPENDENT = {
    "two": _two,
    "two with keys": _two_keyed,
    "slow ones": _slow,
}


def _raced(given: Any) -> Any:
    yield race(step("x", _leaving("x"), OFTEN), step("y", _leaving("y"), OFTEN))


def _sharing(given: Any) -> Any:
    yield together(
        step("x", _leaving("x", key="same"), OFTEN), step("y", _leaving("y", key="same"), OFTEN)
    )


def _same_mark(given: Any) -> Any:
    yield together(step("x", _leaving("m"), OFTEN), step("y", _leaving("m"), OFTEN))


def _chains(given: Any) -> Any:
    """A step inside a step."""

    def outer(_: Any) -> Any:
        yield step("inner", _leaving("inner"), OFTEN)

    yield together(step("x", outer, OFTEN), step("y", _leaving("y"), OFTEN))


def _beside_a_sleep(given: Any) -> Any:
    yield together(step("x", _leaving("x"), OFTEN), step("y", _leaving("y"), OFTEN), sleep("n", 5))


def _beside_run(given: Any) -> Any:
    yield together(
        step("x", _leaving("x"), OFTEN), step("y", _leaving("y"), OFTEN), write("run", once=True)
    )


def _undoing(given: Any) -> Any:
    def undo(_: Any) -> Any:
        yield write("undo")

    yield together(
        step("x", _leaving("x"), OFTEN, rollback=undo),
        step("y", _leaving("y"), OFTEN, rollback=undo),
    )


def _failing(given: Any) -> Any:
    """The first lost call makes a step fail, and run() goes on at once."""
    try:
        yield together(
            step("x", _leaving("x"), retries(0, 0)), step("y", _leaving("y"), retries(0, 0))
        )
    except Failed:
        yield step("undo", _leaving("undo"))


def _changing(given: Any) -> Any:
    """What a step returns depends on what happened to it."""

    def callback(_: Any) -> Any:
        try:
            yield write("x", once=True)
        except Failed:
            return "lost"
        return "done"

    yield together(step("x", callback), step("y", _leaving("y", once=True)))


TANGLED = {
    "raced": _raced,
    "one key for both": _sharing,
    "the same mark": _same_mark,
    "a step inside a step": _chains,
    "beside a sleep": _beside_a_sleep,
    "beside run itself": _beside_run,
    "with rollback": _undoing,
    "failing at once": _failing,
    "changing values": _changing,
}


def _scenario(faults: int, redeliveries: int = 0, *, is_quiet: bool = False) -> Scenario:
    scenario = scenario_of(request(create()), faults=faults, redeliveries=redeliveries)
    # Without any invariant no run ends early, so that all ends can be compared.
    off = ("unkeyed-repeat", "step-changed-its-mind")
    watching = () if is_quiet else scenario.invariants
    return replace(scenario, invariants=watching, without=off)


def _model(flow: Any, scenario: Scenario, keyed: Keyed) -> Model:
    code = scripted(fetch=client, **{FLOW: flow})(keyed, is_factored=True)
    return Model(scenario, code, Engine())


def _searched(model: Model, scenario: Scenario) -> Found:
    bounds = scenario.bounds
    return Search(model, Limits(bounds.max_faults, bounds.max_redeliveries)).run()


def _one_by_one(flow: Any, scenario: Scenario, keyed: Keyed) -> SearchedOneByOne | None:
    return search_one_by_one(
        scenario,
        Engine(),
        scripted(fetch=client, **{FLOW: flow})(keyed, is_factored=True),
        lambda code, engine, groups: Model(scenario, code, engine, groups=groups),
        lambda model: _searched(model, scenario),
    )


def seen_by_invariants(model: Model, found: Found) -> dict[tuple[Any, ...], int]:
    """The fewest faults with which each part of an end of a run is reached.

    A part is what an invariant can tell: the mark of one key, or how the instance has ended.
    """
    graph, parts = found.graph, dict[tuple[Any, ...], int]()
    for number, world in enumerate(graph.worlds):
        if not graph.is_resting[number]:
            continue
        marks = model.local(world, monitor_address("once"))
        mine: list[tuple[Any, ...]] = list(marks.marks) if isinstance(marks, Marks) else []
        mine += [
            (address, local.status, local.result)
            for address, local in model.locals_of(world)
            if isinstance(local, Instance)
        ]
        for part in mine:
            parts[part] = min(parts.get(part, 99), graph.fewest[number])
    return parts


@pytest.mark.parametrize("flow", INDEPENDENT.values(), ids=list(INDEPENDENT))
@pytest.mark.parametrize(("faults", "redeliveries"), [(0, 1), (1, 0), (2, 0)])
def test_what_invariants_can_tell_stays_the_same(flow: Any, faults: int, redeliveries: int) -> None:
    def work(keyed: Keyed) -> None:
        scenario = _scenario(faults, redeliveries)
        model = _model(flow, scenario, keyed)
        found, ordered = _searched(model, scenario), _one_by_one(flow, scenario, keyed)
        assert ordered is not None
        assert ordered.found.bad_level == found.bad_level
        assert ordered.found.transitions < found.transitions
        assert broken_in(ordered.model, ordered.found) == broken_in(model, found)
        quiet = _scenario(faults, redeliveries, is_quiet=True)
        model, ordered = _model(flow, quiet, keyed), _one_by_one(flow, quiet, keyed)
        assert ordered is not None
        seen = seen_by_invariants(ordered.model, ordered.found)
        for part, fewest in seen_by_invariants(model, _searched(model, quiet)).items():
            assert seen.get(part, math.inf) <= fewest

    with_reads(work)


def broken_in(model: Model, found: Found) -> set[tuple[Any, ...]]:
    """The invariants and keys that are broken in the level of the first violation."""
    return {
        entry
        for world in found.bad
        for address, local in model.locals_of(found.graph.worlds[world])
        if address == ("~alarm",) and isinstance(local, tuple)
        for entry in local
    }


@pytest.mark.parametrize("flow", TANGLED.values(), ids=list(TANGLED))
def test_steps_that_have_to_do_with_each_other_are_not_taken_one_by_one(flow: Any) -> None:
    def work(keyed: Keyed) -> None:
        assert _one_by_one(flow, _scenario(1), keyed) is None

    with_reads(work)


BOTH = Implies(
    name="both",
    cause=KeyedBy(
        selector=Selector(seen=Seen.FETCH, target="log", operation="POST", path="/y"),
        key_path="args.body.of",
    ),
    effects=(
        KeyedBy(
            selector=Selector(seen=Seen.FETCH, target="log", operation="POST", path="/x"),
            key_path="args.body.of",
        ),
    ),
)


def _posting(path: str, of: str) -> Any:
    def callback(_: Any) -> Any:
        body: Plain = {"of": of, "key": path}
        yield fetch("POST", f"https://log.example{path}", body, {"idempotency-key": path})

    return callback


def _halves(given: Any) -> Any:
    """Two steps that an invariant ties to each other: what they do commutes all the same."""
    yield together(step("x", _posting("/x", "k"), OFTEN), step("y", _posting("/y", "k"), OFTEN))


def _tied_by_a_third(given: Any) -> Any:
    """Each of them has to do with the step that follows, and so with the other."""
    yield together(step("x", _posting("/x", "k"), OFTEN), step("y", _posting("/y", "l"), OFTEN))

    def both(_: Any) -> Any:
        for path, of in (("/x", "l"), ("/y", "k")):
            body: Plain = {"of": of, "key": f"{path} again"}
            yield fetch("POST", f"https://log.example{path}", body, {"idempotency-key": path + of})

    yield step("both", both, OFTEN)


@pytest.mark.parametrize("flow", [_halves, _tied_by_a_third])
def test_steps_that_an_invariant_ties_are_not_taken_one_by_one(flow: Any) -> None:
    """The end of the instance may come when only the second of them has done its work."""
    end = request(send("terminate", id="a", options={"$": "undefined"}), at=500)
    answers = tuple(
        CannedResponse(method="POST", path=path, status=200, headers=(), body="{}")
        for path in ("/x", "/y")
    )
    given = scenario_of(request(create()), end, faults=1, invariants=(BOTH,), responses=answers)
    # Only a crash, so that no step falls behind the others by itself.
    others = ("request_lost", "answer_lost", "answer_late", "store_failed", "crash_in_flight")
    bounds = replace(given.bounds, faults_max=tuple((kind, 0) for kind in others))
    scenario = replace(given, without=("unkeyed-repeat", "stuck"), bounds=bounds)

    def work(keyed: Keyed) -> None:
        model = _model(flow, scenario, keyed)
        assert _searched(model, scenario).bad
        ordered = _one_by_one(flow, scenario, keyed)
        assert ordered is None or ordered.found.bad

    with_reads(work)


def test_a_call_in_between_is_no_matter() -> None:
    """Whoever asks between two moments sees the same as before."""
    calls = [request(create()), request(send("status", id="a"))]
    scenario = replace(_scenario(1), drive=scenario_of(*calls).drive)

    def work(keyed: Keyed) -> None:
        ordered = _one_by_one(_two_keyed, scenario, keyed)
        assert ordered is not None
        assert not ordered.found.bad

    with_reads(work)


def test_two_at_a_time_are_left_alone() -> None:
    scenario = _scenario(1)
    several = replace(scenario, bounds=replace(scenario.bounds, max_concurrent=2))

    def work(keyed: Keyed) -> None:
        assert _one_by_one(_two, several, keyed) is None

    with_reads(work)


def test_a_path_is_one_of_the_whole_graph() -> None:
    def work(keyed: Keyed) -> None:
        scenario = _scenario(1)
        ordered = _one_by_one(_two, scenario, keyed)
        assert ordered is not None
        graph, found = ordered.found.graph, ordered.found
        path = _path(graph, found.bad[0])
        whole = _model(_two, scenario, keyed)
        assert (
            trace_of(whole, plain_path(ordered.model, whole, path)).records
            == trace_of(ordered.model, path).records
        )

    with_reads(work)


def _path(graph: Any, world: int) -> tuple[int, ...]:
    path: tuple[int, ...] = graph.path_to(world)
    return path
