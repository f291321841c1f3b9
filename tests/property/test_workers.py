"""Random Workers: search and brute force agree, and so do fibers and whole activations."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, reject, settings

from eutaxy._explore.count import count_complete
from eutaxy._explore.search import Limits, Search
from tests.oracles.agreement import assert_agree
from tests.oracles.test_platform import Keyed, model_of, with_reads
from tests.oracles.workers import Worker
from tests.property.random_workers import workers

LEAVES_MAX = 2_000
WORLDS_MAX = 4_000


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(worker=workers())
def test_random_workers(worker: Worker) -> None:
    bounds = worker.scenario.bounds
    limits = Limits(bounds.max_faults, bounds.max_redeliveries, worlds_max=WORLDS_MAX)

    def counts(keyed: Keyed, *, is_factored: bool) -> tuple[int, ...]:
        model = model_of(worker, keyed, is_factored=is_factored)
        found = Search(model, limits).run()
        if not found.is_whole or found.complete is None:
            reject()
        return count_complete(found.graph, found.complete, limits.redeliveries_max)

    def work(keyed: Keyed) -> None:
        counted = counts(keyed, is_factored=True)
        assert counts(keyed, is_factored=False) == counted
        is_small = sum(counted) <= LEAVES_MAX
        event(f"walked as a tree: {is_small}")
        if is_small:
            assert_agree(model_of(worker, keyed), limits.faults_max, limits.redeliveries_max)

    with_reads(work)
