"""A search that several partitions share finds what one process finds, on random graphs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

from eutaxy._explore.count import Livelock, count_found
from eutaxy._explore.graph import Explorable
from eutaxy._explore.minimal import WayFinder
from eutaxy._explore.search import Found, Limits, Search
from eutaxy._session.workers import together
from eutaxy.errors import ScenarioError
from eutaxy.testing import Machine, Move, Toy
from tests.oracles.inline import InlineCrew, check_with, search_divided
from tests.oracles.workers import Worker
from tests.planted.checking import check
from tests.property.random_toys import toys
from tests.property.random_workers import workers


@settings(max_examples=150)
@given(
    toy=toys(),
    faults=st.integers(0, 2),
    redeliveries=st.integers(0, 1),
    count=st.integers(1, 4),
    data=st.data(),
)
def test_partitions_find_what_one_process_finds(
    toy: Toy, faults: int, redeliveries: int, count: int, data: st.DataObject
) -> None:
    limits = Limits(faults, redeliveries)
    addresses = sorted(address for address, _ in toy.locals_of(toy.initial))
    key = tuple(data.draw(st.lists(st.sampled_from(addresses), unique=True)))
    together = search_divided(toy, limits, count, key=key)
    alone = Search(toy, limits).run()
    assert _told(toy, together) == _told(toy, alone)
    event(f"bad: {alone.bad_level is not None}")


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(worker=workers(), count=st.integers(2, 3))
def test_random_workers(worker: Worker, count: int) -> None:
    bounds = replace(worker.scenario.bounds, budget_ms=2_000)
    scenario = replace(worker.scenario, bounds=bounds)
    try:
        alone = check(worker.programs, scenario, is_all=True)
    except ScenarioError:
        reject()
    if not alone.coverage.is_whole or alone.coverage.worlds > 20_000:
        reject()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(together, "START_AT", 0)
        assert check_with(InlineCrew(count), worker.programs, scenario, is_all=True) == alone
    event(f"verdict: {alone.kind.value}")


def test_a_cycle_without_faults_is_a_livelock_also_when_it_crosses() -> None:
    there = Machine({0: (Move(1),), 1: (Move(0), Move(2))})
    toy = Toy({("a",): there, ("b",): Machine({0: (Move(1),)})})
    for count in (1, 2, 3):
        with pytest.raises(Livelock):
            count_found(search_divided(toy, Limits(0, 0), count))


def _told(toy: Explorable, found: Found) -> object:
    """All of a search that a report tells something of."""
    counts: object
    try:
        counts = count_found(found)
    except Livelock:
        counts = "livelock"
    ways = None
    if found.bad_level is not None:
        finder = WayFinder(found.graph, found.bad, found.bad_level.faults)
        ways = [way.choices for way in finder.ways().ways]
    graph = found.graph
    return (
        (found.complete, found.bad_level, found.is_bad_level_complete),
        (found.worlds, found.transitions),
        sorted(graph.worlds[world] for world in found.bad),
        counts,
        ways,
    )
