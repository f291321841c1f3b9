"""The search: every world within rising levels, equal worlds merged.

Theory: levels rise by faults, then by redeliveries. Redeliveries are part of a world, faults are
not: a world that was first met over a fault moves to the lower level when an edge without fault
reaches it (0-1 breadth-first search); without that, worlds would be missed. Inside one level the
order is first in, first out, so the first way to a world is a shortest one.

The level in which something bad is first met is finished (within a fixed amount of work), so that
the choice among equally small violations is the seed's, not the accident of the order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from eutaxy._base.verdict import Level
from eutaxy._explore.graph import Explorable, Graph, WorldId

EXTRA_WORK_MIN = 20_000
"""Transitions that may always be spent on finishing the level of the first violation."""

CHECK_EVERY = 64
"""Worlds expanded between two looks at the budget."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where the search ends.

    Args:
        faults_max: Most faults.
        redeliveries_max: Most redeliveries.
        worlds_max: Most worlds; None for no such limit (the budget decides).
        is_merging: Merge equal worlds; off only for oracles and for scenarios that need whole
            traces.
        stops_at_bad: End at the first bad world, in the middle of its level.
    """

    faults_max: int
    redeliveries_max: int
    worlds_max: int | None = None
    is_merging: bool = True
    stops_at_bad: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """How far a search is: the level that is being searched, worlds met, transitions taken."""

    level: Level | None
    worlds: int
    transitions: int


@dataclass(frozen=True, slots=True)
class Counted:
    """Distinct worlds, and the number of schedules with exactly 0, 1, ... faults.

    The latter is None when there is a cycle without faults.
    """

    worlds: int
    schedules: tuple[int, ...] | None


@dataclass(slots=True)
class Found:
    """What the search has to show.

    Args:
        graph: Everything seen.
        limits: Where it was to end.
        level: The level that is being searched; None before the first.
        complete: Highest complete level; None when not even the first is.
        transitions: Transitions taken.
        bad: Bad worlds (or bad worlds at rest) of the level in which the first was met.
        bad_level: That level.
        counted: Worlds and schedules of a complete search whose graph is elsewhere (`graph` is
            empty then); None when it is here.
        is_bad_level_complete: Whether that level was finished.
    """

    graph: Graph
    limits: Limits
    level: Level | None = None
    complete: Level | None = None
    transitions: int = 0
    bad: list[WorldId] = field(default_factory=list)
    bad_level: Level | None = None
    counted: Counted | None = None
    is_bad_level_complete: bool = True

    @property
    def worlds(self) -> int:
        """Distinct worlds met."""
        return len(self.graph.worlds) if self.counted is None else self.counted.worlds

    @property
    def pace(self) -> Pace:
        """How far the search is."""
        return Pace(self.level, self.worlds, self.transitions)

    @property
    def is_whole(self) -> bool:
        """Whether everything within the limits was covered."""
        limits = self.limits
        whole = Level(faults=limits.faults_max, redeliveries=limits.redeliveries_max)
        return self.complete == whole


class _OutOfBudget(Exception):
    pass


class Search:
    """One search over one graph.

    Args:
        system: The graph.
        limits: Where to end.
        is_out_of_budget: Asked now and then; True ends the search where it is.
        judge_path: Judges a whole run at rest, by the choices it took; True when it is bad. Only
            without merging, where a world has one past.
    """

    def __init__(
        self,
        system: Explorable,
        limits: Limits,
        *,
        is_out_of_budget: Callable[[], bool] = lambda: False,
        judge_path: Callable[[tuple[int, ...]], bool] | None = None,
    ) -> None:
        assert judge_path is None or not limits.is_merging
        self._judge_path = judge_path
        self._system = system
        self._limits = limits
        self._is_out_of_budget = is_out_of_budget
        self._graph = Graph()
        self.found = Found(self._graph, limits)
        self._queues: dict[tuple[int, int], deque[WorldId]] = {}
        self._work_left = -1

    def run(self) -> Found:
        """Search level by level until the limits, the budget, or the end of a bad level."""
        limits, found = self._limits, self.found
        root = self._graph.add(self._system.initial, 0, 0, is_merging=limits.is_merging)
        if self._system.is_bad(self._system.initial):
            self._graph.is_bad[root] = 1
        self._queue(0, 0).append(root)
        levels = [
            Level(faults=faults, redeliveries=redeliveries)
            for faults in range(limits.faults_max + 1)
            for redeliveries in range(limits.redeliveries_max + 1)
        ]
        for level in levels:
            found.level = level
            try:
                self._level(level.faults, level.redeliveries)
            except _OutOfBudget:
                found.is_bad_level_complete = False
            else:
                found.complete = level
            if found.bad:
                found.bad_level = level
            if found.bad or found.complete is not level:
                break
        return found

    def _queue(self, faults: int, redeliveries: int) -> deque[WorldId]:
        return self._queues.setdefault((faults, redeliveries), deque())

    def _level(self, faults: int, redeliveries: int) -> None:
        queue = self._queue(faults, redeliveries)
        graph = self._graph
        expanded = 0
        while queue:
            world = queue.popleft()
            if graph.is_expanded[world] or graph.fewest[world] != faults:
                continue
            if graph.is_bad[world]:
                graph.is_expanded[world] = 1
                self._meet_bad(world)
                continue
            if expanded % CHECK_EVERY == 0:
                self._check_budget()
            expanded += 1
            self._expand(world, faults, redeliveries, queue)
            if 0 <= self._work_left < self.found.transitions:
                raise _OutOfBudget

    def _check_budget(self) -> None:
        worlds_max = self._limits.worlds_max
        if worlds_max is not None and len(self._graph.worlds) > worlds_max:
            raise _OutOfBudget
        if self._is_out_of_budget():
            raise _OutOfBudget

    def _meet_bad(self, world: WorldId) -> None:
        self.found.bad.append(world)
        if self._limits.stops_at_bad:
            raise _OutOfBudget
        if self._work_left < 0:
            self._work_left = 3 * self.found.transitions + EXTRA_WORK_MIN

    def _expand(
        self, world: WorldId, faults: int, redeliveries: int, queue: deque[WorldId]
    ) -> None:
        graph, system, limits = self._graph, self._system, self._limits
        ids, fewest, step = graph.ids, graph.fewest, system.step
        is_merging = limits.is_merging
        add_target, add_choice = graph.edge_target.append, graph.edge_choice.append
        add_faults = graph.edge_faults.append
        faults_left = limits.faults_max - faults
        redeliveries_left = limits.redeliveries_max - redeliveries
        value = graph.worlds[world]
        is_resting = True
        graph.edges_from[world] = len(graph.edge_target)
        for number, option in enumerate(system.choices(value)):
            cost = option[2]
            again = option[3]
            if not (cost or again):
                is_resting = False
            elif cost > faults_left or again > redeliveries_left:
                continue
            after = step(value, option)
            target = ids.get(after) if is_merging else None
            if target is None:
                target = graph.add(
                    after, faults + cost, redeliveries + again, is_merging=is_merging
                )
                graph.source[target] = world
                graph.entry[target] = len(graph.edge_target)
                if system.is_bad(after):
                    graph.is_bad[target] = 1
                if cost or again:
                    self._queue(faults + cost, redeliveries + again).append(target)
                else:
                    queue.append(target)
            elif fewest[target] > faults + cost:
                fewest[target] = faults + cost
                self._queue(faults + cost, redeliveries + again).append(target)
            add_target(target)
            add_choice(number)
            add_faults(cost)
        self.found.transitions += len(graph.edge_target) - graph.edges_from[world]
        graph.edges_to[world] = len(graph.edge_target)
        graph.is_expanded[world] = 1
        if is_resting:
            graph.is_resting[world] = 1
            if system.is_bad_at_rest(value) or self._is_bad_run(world):
                graph.is_bad[world] = 1
                self._meet_bad(world)

    def _is_bad_run(self, world: WorldId) -> bool:
        return self._judge_path is not None and self._judge_path(self._graph.path_to(world))
