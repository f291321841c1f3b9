"""Searching less than every order, where the rest is known to add nothing (docs/soundness.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from eutaxy._base.code import UserCode
from eutaxy._base.scenario import Scenario
from eutaxy._explore.search import Found
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.apart import search_apart
from eutaxy._session.model import Model
from eutaxy._session.one_by_one import search_one_by_one
from eutaxy._world.apart import Order


@dataclass(frozen=True, slots=True)
class Searched:
    """A search, and what it left out.

    Args:
        model: The graph that was searched.
        found: What was found.
        engine: The Workflows engine of that graph.
        apart: Names of the driver events of each group that was not interleaved with others.
        orders: In how many orders the ends of steps were heard that were taken one by one.
    """

    model: Model
    found: Found
    engine: Engine
    apart: tuple[tuple[str, ...], ...] = ()
    orders: int = 0


class MakeModel(Protocol):
    """Gives the scenario as a graph of worlds."""

    def __call__(self, code: UserCode, engine: Engine, groups: Order | None) -> Model:
        """The graph."""
        ...


class Search(Protocol):
    """Searches a graph of worlds."""

    def __call__(self, model: Model, *, stops_at_bad: bool) -> Found:
        """What was found; with `stops_at_bad`, up to the first bad world."""
        ...


def search_reduced(
    scenario: Scenario,
    engine: Engine,
    code: UserCode,
    make_model: MakeModel,
    search: Search,
    *,
    is_one_by_one: bool,
) -> Searched | None:
    """Search with whichever reduction fits.

    Args:
        scenario: The declarations.
        engine: The Workflows engine.
        code: The user's code, over fibers.
        make_model: Gives the graph.
        search: Searches a graph.
        is_one_by_one: Whether steps may be taken one by one.

    Returns:
        The search; None when none fits, and every order is to be searched.
    """
    if scenario.bounds.max_concurrent > 1:
        apart = search_apart(
            scenario,
            lambda groups: make_model(code, engine, groups),
            lambda model: search(model, stops_at_bad=True),
        )
        return None if apart is None else Searched(apart.model, apart.found, engine, apart.groups)
    if not is_one_by_one:
        return None
    ordered = search_one_by_one(
        scenario, engine, code, make_model, lambda model: search(model, stops_at_bad=False)
    )
    if ordered is None:
        return None
    return Searched(ordered.model, ordered.found, ordered.engine, orders=ordered.tried)
