"""Random Workflows that share nothing: kept apart, every end of a run is still reached."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

from eutaxy._explore.search import Found, Limits, Search
from eutaxy._session.apart import search_apart
from eutaxy._session.model import Model
from tests.oracles.test_apart import ends_of
from tests.oracles.test_platform import Keyed, model_of, with_reads
from tests.oracles.workers import Worker
from tests.property.random_workers import Flow, flows
from tests.unit.platform.lab import FLOW, client, create, request, scenario_of, send, status
from tests.unit.platform.lab import event as sent

WORLDS_MAX = 6_000


@st.composite
def pairs(draw: st.DrawFn) -> Worker:
    """Two instances of one flow, and a few things that happen to them."""
    flow: Flow = replace(draw(flows), is_own=True)
    events: list[Any] = [request(create(name, params=name)) for name in "ab"]
    for name in draw(st.lists(st.sampled_from("ab"), max_size=2)):
        calls = {
            "event": sent("e", name=name),
            "status": status(name),
            "terminate": send("terminate", id=name, options={"$": "undefined"}),
        }
        events.append(request(calls[draw(st.sampled_from(sorted(calls)))]))
    faults = draw(st.integers(0, 1))
    scenario = scenario_of(
        *events,
        faults=faults,
        redeliveries=draw(st.integers(0, 1 - faults)),
        concurrent=draw(st.integers(2, 3)),
        invariants=(),
    )
    quiet = replace(scenario, without=("unkeyed-repeat", "stuck"))
    return Worker(programs={"fetch": client, FLOW: flow}, scenario=quiet)


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(worker=pairs())
def test_random_workflows_kept_apart(worker: Worker) -> None:
    bounds = worker.scenario.bounds
    limits = Limits(bounds.max_faults, bounds.max_redeliveries, worlds_max=WORLDS_MAX)

    def search(model: Model) -> Found:
        return Search(model, limits).run()

    def work(keyed: Keyed) -> None:
        whole = model_of(worker, keyed)
        found = search(whole)
        if not found.is_whole or found.bad:
            reject()
        apart = search_apart(
            worker.scenario, lambda order: model_of(worker, keyed, order=order), search
        )
        event(f"kept apart: {apart is not None}")
        if apart is not None and apart.found.is_whole:
            ends = ends_of(apart.model, apart.found)
            for end, faults in ends_of(whole, found).items():
                assert ends.get(end, math.inf) <= faults

    with_reads(work)
