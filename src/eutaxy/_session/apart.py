"""Groups of driver events that share nothing: found, searched without interleaving, checked.

A search over such groups only ever shows that nothing is wrong. When it meets something bad, or
when the groups turn out to share something, the caller searches every order as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eutaxy._base.scenario import Invariant, PassTime, RowsHold, Scenario, TraceHolds
from eutaxy._explore.path import first_path, walk
from eutaxy._explore.search import Found
from eutaxy._platform.ownership import ownership_of
from eutaxy._session.model import Model
from eutaxy._world.apart import Apart, Grouping, Order
from eutaxy._world.swaps import Dependent


@dataclass(frozen=True, slots=True)
class SearchedApart:
    """What a search over groups has shown.

    Args:
        model: The graph that was searched.
        found: What was found; nothing bad.
        groups: Names of the driver events of each group.
    """

    model: Model
    found: Found
    groups: tuple[tuple[str, ...], ...]


def search_apart(
    scenario: Scenario,
    make_model: Callable[[Order | None], Model],
    search: Callable[[Model], Found],
) -> SearchedApart | None:
    """Search a scenario without interleaving what shares nothing.

    Args:
        scenario: The declarations.
        make_model: Gives the graph of worlds under an order of the groups.
        search: Searches a graph, and stops where it meets something bad.

    Returns:
        What was shown; None when there is nothing to keep apart, or something bad was met.
    """
    if not _is_apt(scenario):
        return None
    ownership = ownership_of(scenario)
    grouping = Grouping(ownership)
    for event in scenario.drive:
        # That time passes is nobody's own affair.
        is_time = isinstance(event, PassTime)
        grouping.unite(scenario.drive[0].name if is_time else event.name, event.name)
    model = make_model(grouping)
    for _ in walk(model, first_path(model)):
        pass
    while True:
        groups = grouping.groups()
        members = _events_by_group(scenario, groups)
        if len(members) < 2:
            return None
        apart = Apart(ownership, groups, scenario.bounds.max_concurrent)
        model = make_model(apart)
        try:
            found = search(model)
            if found.bad:
                return None
            apart.check(model)
        except Dependent as dependent:
            if dependent.groups is None:
                return None
            one, other = (members[each][0] for each in dependent.groups)
            grouping.unite(one, other)
        else:
            return SearchedApart(model, found, tuple(members.values()))


def _is_apt(scenario: Scenario) -> bool:
    """Whether keeping groups apart can gain something and lose nothing.

    Without concurrency there is little to gain. An event that waits for the end of another ties
    the order of beginnings to steps. An invariant over rows that must hold at every moment sees
    moments that are left out, and one over the trace sees the order itself.
    """
    return (
        scenario.bounds.max_concurrent > 1
        and len(scenario.drive) > 1
        and not any(event.timing.after_event for event in scenario.drive)
        and not any(_sees_orders(each) for each in scenario.invariants)
    )


def _sees_orders(invariant: Invariant) -> bool:
    return isinstance(invariant, TraceHolds) or (
        isinstance(invariant, RowsHold) and invariant.is_always
    )


def _events_by_group(scenario: Scenario, groups: dict[str, int]) -> dict[int, tuple[str, ...]]:
    members: dict[int, tuple[str, ...]] = {}
    for event in scenario.drive:
        number = groups[event.name]
        members[number] = (*members.get(number, ()), event.name)
    return members
