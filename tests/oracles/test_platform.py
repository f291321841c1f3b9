"""The platform against brute force, and fibers against whole activations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from eutaxy._base.code import NewRead, Read
from eutaxy._explore.count import count_complete
from eutaxy._explore.search import Found, Limits, Search
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.lockstep import compare_models
from eutaxy._session.model import Model
from eutaxy._world.apart import Order
from eutaxy.testing import scripted
from tests.oracles.agreement import assert_agree
from tests.oracles.workers import WORKERS, Worker

T = TypeVar("T")
Keyed = frozenset[tuple[str, Read]]

each_worker = pytest.mark.parametrize("worker", WORKERS.values(), ids=list(WORKERS))


def model_of(
    worker: Worker,
    keyed: Keyed = frozenset(),
    *,
    is_factored: bool = True,
    order: Order | None = None,
) -> Model:
    code = scripted(**worker.programs)(keyed, is_factored=is_factored)
    return Model(worker.scenario, code, Engine(), groups=order)


def with_reads(work: Callable[[Keyed], T]) -> T:
    """Do something with all that the code reads as part of the state."""
    keyed: Keyed = frozenset()
    while True:
        try:
            return work(keyed)
        except NewRead as read:
            keyed |= {(read.program, read.read)}


@each_worker
def test_search_and_brute_force_agree(worker: Worker) -> None:
    bounds = worker.scenario.bounds

    def work(keyed: Keyed) -> None:
        both = assert_agree(model_of(worker, keyed), bounds.max_faults, bounds.max_redeliveries)
        # Merging must have had something to merge, else this compares a tree with itself.
        assert len(both.found.graph.worlds) < both.tree.steps

    with_reads(work)


LEAVES_MAX = 8_000


@pytest.mark.slow
@each_worker
def test_they_agree_within_wider_bounds(worker: Worker) -> None:
    """One fault or one redelivery more, as long as the tree can still be walked."""
    bounds = worker.scenario.bounds
    for faults, redeliveries in ((1, 0), (0, 1), (1, 1)):
        limits = Limits(bounds.max_faults + faults, bounds.max_redeliveries + redeliveries)
        wider = replace(
            bounds, max_faults=limits.faults_max, max_redeliveries=limits.redeliveries_max
        )
        raised = replace(worker, scenario=replace(worker.scenario, bounds=wider))

        def work(keyed: Keyed, raised: Worker = raised, limits: Limits = limits) -> None:
            model = model_of(raised, keyed)
            found = Search(model, limits).run()
            assert found.complete is not None
            leaves = sum(count_complete(found.graph, found.complete, limits.redeliveries_max))
            if leaves <= LEAVES_MAX:
                assert_agree(model, limits.faults_max, limits.redeliveries_max)

        with_reads(work)


@each_worker
def test_fibers_and_whole_activations_count_the_same(worker: Worker) -> None:
    bounds = worker.scenario.bounds

    def explore(keyed: Keyed, *, is_factored: bool) -> tuple[Found, tuple[int, ...]]:
        model = model_of(worker, keyed, is_factored=is_factored)
        found = Search(model, Limits(bounds.max_faults, bounds.max_redeliveries)).run()
        assert found.complete is not None
        return found, count_complete(found.graph, found.complete, bounds.max_redeliveries)

    def work(keyed: Keyed) -> None:
        fibers, counted = explore(keyed, is_factored=True)
        whole, counted_too = explore(keyed, is_factored=False)
        assert fibers.bad_level == whole.bad_level
        assert counted == counted_too
        assert len(fibers.graph.worlds) <= len(whole.graph.worlds)

    with_reads(work)


@each_worker
def test_fibers_and_whole_activations_walk_in_step(worker: Worker) -> None:
    bounds = worker.scenario.bounds

    def work(keyed: Keyed) -> None:
        compare_models(
            model_of(worker, keyed),
            model_of(worker, keyed, is_factored=False),
            walks=20,
            faults_max=bounds.max_faults,
            redeliveries_max=bounds.max_redeliveries,
        )

    with_reads(work)


def test_more_faults_allowed_change_no_count_of_fewer() -> None:
    worker = WORKERS["fixed expenses"]
    counts = []
    for faults in range(4):
        bounds = replace(worker.scenario.bounds, max_faults=faults)
        model = model_of(replace(worker, scenario=replace(worker.scenario, bounds=bounds)))
        found = Search(model, Limits(faults, 1)).run()
        assert found.complete is not None
        counts.append(count_complete(found.graph, found.complete, 1))
    assert [each[: len(counts[0])] for each in counts] == [counts[0]] * 4
    assert counts[3][:3] == counts[2]
