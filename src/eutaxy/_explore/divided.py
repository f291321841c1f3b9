"""A search whose worlds are shared out among several processes.

Theory: the partitions search one level together, each at its own pace, and tell one another what
they meet; the level is complete when all are idle and nothing is under way. Which worlds there are,
with how few faults each is reached and where its edges lead does not depend on who was faster, so
all that is said of complete levels is the same as after a search by one process.

One thing does depend on the order: how far the level of the first violation is gone on with when it
is too large to be finished. Where that could matter, the search ends without a result and the
caller lets one process search.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from eutaxy._base.verdict import Level
from eutaxy._explore.gather import Share, gathered
from eutaxy._explore.graph import Graph
from eutaxy._explore.partition import SLICE_MIN, Advanced, Divisible, Division, Split
from eutaxy._explore.search import EXTRA_WORK_MIN, Counted, Found, Limits, Pace
from eutaxy._explore.tally import count_together
from eutaxy._explore.team import Advance, Collect, Open, Remember, Team
from eutaxy._world.divisible import Remembered

SLICE_MAX = 16_384
"""Most worlds that it expands before it tells the others."""

BUSY_WORK_FACTOR = 3
"""As in `search`: the share of work that may be spent on finishing the level of a violation."""


class OrderDecides(Exception):
    """The level of the first violation is so large that the order of the search decides."""


class _OutOfBudget(Exception):
    pass


@dataclass(slots=True)
class _State:
    """What is known of one partition."""

    inbox: list[tuple[int, bytes]] = field(default_factory=list)
    answers_known: int = 0
    is_idle: bool = False
    is_blocked: bool = False
    slice: int = SLICE_MIN
    worlds: int = 0
    transitions: int = 0
    bad: int = 0


class DividedSearch:
    """One search by several processes.

    Args:
        system: The graph, in this process.
        limits: Where to end.
        team: The partitions.
        make: What a partition's process needs to make the graph.
        split: What tells whose a world is.
        answer: Answers what the partitions may not ask themselves.
        is_over: Asked now and then; True ends the search where it is.
    """

    def __init__(
        self,
        system: Divisible,
        limits: Limits,
        team: Team,
        *,
        make: object,
        split: Split,
        answer: Callable[[Hashable], object],
        is_over: Callable[[Pace], bool] = lambda _: False,
    ) -> None:
        self._system = system
        self._limits = limits
        self._team = team
        self._answer = answer
        self._is_over = is_over
        self._states = [_State() for _ in range(team.count)]
        self._answers: dict[Hashable, object] = {}
        self._complete: Level | None = None
        self._bad_level: Level | None = None
        self._is_bad_level_complete = True
        for number in range(team.count):
            division = Division(number=number, count=team.count, split=split)
            team.send(number, Open(make, limits, division))

    def run(self) -> Found:
        """Search level by level until the limits, the budget, or the end of a bad level.

        Raises:
            OrderDecides: One process has to search.
            Lost: A partition cannot be kept alive.
        """
        limits = self._limits
        for _ in self._states:
            self._team.receive()
        levels = [
            Level(faults=faults, redeliveries=redeliveries)
            for faults in range(limits.faults_max + 1)
            for redeliveries in range(limits.redeliveries_max + 1)
        ]
        for level in levels:
            try:
                self._level(level)
            except _OutOfBudget:
                self._is_bad_level_complete = False
            else:
                self._complete = level
            if self._bad:
                self._bad_level = level
            if self._bad or self._complete is not level:
                break
        return self._found()

    def remembered(self) -> list[Remembered]:
        """What the partitions remember beside the worlds."""
        told = self._team.ask(Remember())
        assert all(isinstance(each, Remembered) for each in told)
        return [each for each in told if isinstance(each, Remembered)]

    @property
    def _worlds(self) -> int:
        return sum(state.worlds for state in self._states)

    @property
    def _transitions(self) -> int:
        return sum(state.transitions for state in self._states)

    @property
    def _bad(self) -> int:
        return sum(state.bad for state in self._states)

    def _level(self, level: Level) -> None:
        before = self._transitions
        for state in self._states:
            state.is_idle, state.slice = False, SLICE_MIN
        while True:
            for number in range(self._team.count):
                if number not in self._team.busy and self._has_work(number):
                    self._send(number, level, self._states[number].slice)
            if not self._team.busy:
                return
            self._hear()
            if self._bad and self._transitions > BUSY_WORK_FACTOR * before + EXTRA_WORK_MIN:
                self._drain(level)
                raise OrderDecides
            if self._is_over(Pace(level, self._worlds, self._transitions)):
                self._drain(level)
                raise _OutOfBudget

    def _has_work(self, number: int) -> bool:
        state = self._states[number]
        has_news = state.is_blocked and state.answers_known < len(self._answers)
        return bool(state.inbox) or not state.is_idle or has_news

    def _send(self, number: int, level: Level, worlds_max: int) -> None:
        state = self._states[number]
        answers = tuple(self._answers.items())[state.answers_known :]
        state.answers_known = len(self._answers)
        inbound, state.inbox = tuple(state.inbox), []
        self._team.send(number, Advance(level, inbound, worlds_max, answers))

    def _hear(self) -> None:
        """Take the next answer of a partition, and pass on what it says."""
        number, advanced = self._team.receive()
        assert isinstance(advanced, Advanced)
        state = self._states[number]
        for owner, batch in advanced.out:
            self._states[owner].inbox.append((number, batch))
        state.worlds, state.transitions = advanced.worlds, advanced.transitions
        state.bad, state.is_idle = advanced.bad, advanced.is_idle
        state.is_blocked = bool(advanced.questions)
        state.slice = min(2 * state.slice, SLICE_MAX)
        for question in advanced.questions:
            if question not in self._answers:
                self._answers[question] = self._answer(question)

    def _drain(self, level: Level) -> None:
        """Wait for what is under way and deliver it: no world is left between two partitions."""
        while self._team.busy:
            self._hear()
        for number, state in enumerate(self._states):
            if state.inbox:
                self._send(number, level, 0)
        while self._team.busy:
            self._hear()

    def _found(self) -> Found:
        """What was found; the graph is only brought here when somebody is to walk it."""
        found = Found(
            Graph(),
            self._limits,
            complete=self._complete,
            transitions=self._transitions,
            bad_level=self._bad_level,
            is_bad_level_complete=self._is_bad_level_complete,
        )
        if found.is_whole and not self._bad:
            schedules = count_together(self._team, self._limits.faults_max)
            found.counted = Counted(self._worlds, schedules)
            return found
        shares = [each for each in self._team.ask(Collect()) if isinstance(each, Share)]
        found.graph, found.bad = gathered(shares, self._system)
        assert found.worlds == self._worlds
        return found
