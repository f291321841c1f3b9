"""The search against brute force, on any graph small enough for both."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.verdict import Level
from eutaxy._explore.count import count_complete
from eutaxy._explore.graph import Explorable
from eutaxy._explore.search import Found, Limits, Search
from tests.oracles.unmerged import Tree, grow_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """What both found, for further assertions."""

    found: Found
    tree: Tree
    schedules: tuple[int, ...]


def assert_agree(
    system: Explorable, faults_max: int, redeliveries_max: int = 0, *, leaves_max: int = 400_000
) -> Both:
    """Both see the same worlds, the same bad ends at the same level, and as many schedules.

    With merging switched off the search must count the same again.
    """
    found = Search(system, Limits(faults_max, redeliveries_max)).run()
    least = found.bad_level
    tree = grow_tree(
        system,
        faults_max,
        redeliveries_max,
        leaves_max=leaves_max,
        is_inside=lambda faults, redeliveries: (
            least is None or (faults, redeliveries) <= (least.faults, least.redeliveries)
        ),
    )
    seen = set(found.graph.worlds)
    assert len(seen) == len(found.graph.worlds)
    assert tree.worlds <= seen
    if least is None:
        assert tree.worlds == seen
        assert tree.least_bad() is None
        assert found.complete == Level(faults=faults_max, redeliveries=redeliveries_max)
    else:
        assert tree.least_bad() == (least.faults, least.redeliveries)
        bad = {found.graph.worlds[world] for world in found.bad}
        assert bad == tree.bad[least.faults, least.redeliveries]
    assert found.complete is not None
    schedules = count_complete(found.graph, found.complete, redeliveries_max)
    assert schedules == tree.schedules(found.complete.faults)
    assert len(tree.worlds) <= tree.steps
    _assert_same_without_merging(system, found, schedules)
    return Both(found=found, tree=tree, schedules=schedules)


def _assert_same_without_merging(
    system: Explorable, found: Found, schedules: tuple[int, ...]
) -> None:
    limits = found.limits
    unmerged = Search(
        system, Limits(limits.faults_max, limits.redeliveries_max, is_merging=False)
    ).run()
    assert unmerged.complete == found.complete
    assert unmerged.bad_level == found.bad_level
    assert unmerged.complete is not None
    assert count_complete(unmerged.graph, unmerged.complete, limits.redeliveries_max) == schedules
    assert {unmerged.graph.worlds[world] for world in unmerged.bad} == {
        found.graph.worlds[world] for world in found.bad
    }
