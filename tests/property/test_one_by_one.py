"""Random Workflows with steps beside each other: reduced or not, a check says the same."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

from eutaxy._base.scenario import Scenario
from eutaxy._explore.search import Found, Limits, Search
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model
from eutaxy._session.one_by_one import search_one_by_one
from eutaxy.testing import scripted
from tests.oracles.test_one_by_one import broken_in, seen_by_invariants
from tests.oracles.test_platform import Keyed, with_reads
from tests.oracles.workers import Worker
from tests.property.random_workers import Do, Flow, Group, Mark
from tests.unit.platform.lab import FLOW, client, create, request, scenario_of, send
from tests.unit.platform.lab import event as sent

WORLDS_MAX = 20_000

steps = st.builds(
    Do,
    name=st.sampled_from("abc"),
    marks=st.integers(0, 2),
    pause_ms=st.sampled_from([0, 0, 500]),
    limit=st.just(4),
    timeout_ms=st.sampled_from([0, 0, 1_000]),
)
together = st.lists(steps, min_size=2, max_size=3, unique_by=lambda each: each.name).map(
    lambda parts: Group("together", tuple(parts))
)
flows = st.builds(
    Flow,
    statements=st.tuples(together).flatmap(
        lambda group: st.lists(steps | st.just(Mark()) | together, max_size=1).map(
            lambda rest: (*group, *rest)
        )
    ),
    last=st.just("Error"),
)


@st.composite
def workers(draw: st.DrawFn) -> Worker:
    """A Workflow that begins with steps beside each other, and what happens to it."""
    calls: dict[str, Any] = {
        "event": sent("e"),
        "terminate": send("terminate", id="a", options={"$": "undefined"}),
        "restart": send("restart", id="a", options={"$": "undefined"}),
    }
    later = draw(st.lists(st.sampled_from(sorted(calls)), max_size=1))
    at = draw(st.sampled_from([100, 500, 1_000]))
    requests = [request(create()), *(request(calls[name], at=at) for name in later)]
    scenario = scenario_of(*requests, faults=draw(st.integers(0, 2)))
    quiet = replace(scenario, without=("unkeyed-repeat", "step-changed-its-mind"))
    return Worker(programs={"fetch": client, FLOW: draw(flows)}, scenario=quiet)


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(worker=workers())
def test_random_steps_beside_each_other(worker: Worker) -> None:
    for scenario in (worker.scenario, replace(worker.scenario, invariants=())):
        with_reads(partial(_compare, worker, scenario))


def _compare(worker: Worker, scenario: Scenario, keyed: Keyed) -> None:
    bounds = scenario.bounds
    limits = Limits(bounds.max_faults, bounds.max_redeliveries, worlds_max=WORLDS_MAX)
    code = scripted(**worker.programs)(keyed, is_factored=True)

    def search(model: Model) -> Found:
        return Search(model, limits).run()

    ordered = search_one_by_one(
        scenario,
        Engine(),
        code,
        lambda code, engine, groups: Model(scenario, code, engine, groups=groups),
        search,
    )
    event(f"taken one by one: {ordered is not None}")
    if ordered is None:
        return
    whole = Model(scenario, code, Engine())
    found = search(whole)
    if not (found.is_whole or found.bad) or not found.is_bad_level_complete:
        reject()
    assert ordered.found.bad_level == found.bad_level
    # A run ends where the first key is broken, so of several keys some may be met in one order only.
    assert broken_in(ordered.model, ordered.found) <= broken_in(whole, found)
    if not found.bad:
        seen = seen_by_invariants(ordered.model, ordered.found)
        for part, fewest in seen_by_invariants(whole, found).items():
            assert seen.get(part, 99) <= fewest
