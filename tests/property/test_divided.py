"""A search that several partitions share finds what one process finds, on random graphs."""

from __future__ import annotations

from hypothesis import event, given, settings
from hypothesis import strategies as st

from eutaxy._explore.count import Livelock, count_complete
from eutaxy._explore.graph import Explorable
from eutaxy._explore.minimal import WayFinder
from eutaxy._explore.search import Found, Limits, Search
from eutaxy.testing import Toy
from tests.oracles.inline import search_divided
from tests.property.random_toys import toys


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


def _told(toy: Explorable, found: Found) -> object:
    """All of a search that a report tells something of."""
    counts: object = None
    if found.complete is not None:
        try:
            counts = count_complete(found.graph, found.complete, found.limits.redeliveries_max)
        except Livelock:
            counts = "livelock"
    ways = None
    if found.bad_level is not None:
        finder = WayFinder(found.graph, found.bad, found.bad_level.faults)
        ways = [way.choices for way in finder.ways().ways]
    graph = found.graph
    return (
        (found.complete, found.bad_level, found.is_bad_level_complete),
        (len(graph.worlds), found.transitions, sum(graph.is_resting), sum(graph.is_expanded)),
        sorted(graph.worlds[world] for world in found.bad),
        counts,
        ways,
    )
