"""Runs drawn at random, beyond what was covered.

Two ways of drawing take turns. *Uniform*: at each world any choice that is open, but faults only
now and then. *By priority* (PCT): each component has a random priority, the open choice of the
highest one is taken, and at a few random moments the priority of the one that would go on drops to
the lowest; that finds mistakes which need a few components in a certain order. In both, faults and
redeliveries strike at moments drawn beforehand.

What is drawn depends on the seed, the number of the run and the graph alone.

Source:
    PCT: S. Burckhardt et al., A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs,
    ASPLOS 2010.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eutaxy._explore.graph import Explorable
from eutaxy._world.component import Address
from eutaxy._world.world import Option, World

STEPS_MAX = 10_000
"""Longest run; a longer one is given up and not counted."""

CHANGES = 3
"""Most moments at which a priority drops, in a run by priority."""


class Drawable(Explorable, Protocol):
    """A graph whose choices belong to components."""

    def owner(self, option: Option) -> Address:
        """The component to which a choice happens."""
        ...


@dataclass(slots=True)
class Drawn:
    """What was drawn.

    Args:
        runs: Runs that came to an end.
        distinct: Different schedules among them.
        bad: The choices of the first run that ends badly; None when none does.
    """

    runs: int = 0
    distinct: int = 0
    bad: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """What is to be drawn.

    Args:
        seed: Decides what is drawn.
        runs: How many runs.
        faults: Most faults in one.
        redeliveries: Most redeliveries in one.
        length: About how long a run is, in choices.
    """

    seed: str
    runs: int
    faults: int
    redeliveries: int
    length: int


def draw_runs(
    system: Drawable,
    draws: Draws,
    *,
    is_bad_run: Callable[[tuple[int, ...], World], bool],
    is_over: Callable[[], bool] = lambda: False,
) -> Drawn:
    """Draw runs until one ends badly.

    Args:
        system: The graph.
        draws: What to draw.
        is_bad_run: Judges a run that came to rest, by its choices and its end.
        is_over: Asked before each run; ends the drawing.
    """
    drawn, seen = Drawn(), set[bytes]()
    for number in range(draws.runs):
        if is_over():
            break
        run = _Run(system, _Dice(f"{draws.seed}/{number}"), draws, by_priority=number % 2 == 1)
        ended = run.walk()
        if ended is None:
            continue
        drawn.runs += 1
        seen.add(hashlib.blake2b(repr(ended).encode(), digest_size=16).digest())
        drawn.distinct = len(seen)
        if run.is_bad or is_bad_run(ended, run.end):
            drawn.bad = ended
            break
    return drawn


@dataclass(slots=True)
class _Dice:
    """Numbers that look random and follow from a text."""

    text: str
    thrown: int = 0

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        self.thrown += 1
        digest = hashlib.blake2b(f"{self.text}/{self.thrown}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % count


@dataclass(slots=True)
class _Run:
    system: Drawable
    dice: _Dice
    draws: Draws
    by_priority: bool
    is_bad: bool = False
    end: World = ()
    _priorities: dict[Address, int] = field(default_factory=dict)

    def walk(self) -> tuple[int, ...] | None:
        """The choices of a run to its end; None when it has none within `STEPS_MAX`."""
        system, dice, draws = self.system, self.dice, self.draws
        strikes = self._moments(dice.below(draws.faults + 1))
        repeats = self._moments(dice.below(draws.redeliveries + 1))
        changes = self._moments(dice.below(CHANGES + 1)) if self.by_priority else []
        path: list[int] = []
        world = system.initial
        while len(path) < STEPS_MAX:
            self.end = world
            if system.is_bad(world):
                self.is_bad = True
                return tuple(path)
            options = system.choices(world)
            number = self._due(options, len(path), strikes, repeats)
            if number is None:
                normal = [
                    at for at, each in enumerate(options) if not each.faults | each.redeliveries
                ]
                if not normal:
                    return tuple(path)
                number = self._normal(options, normal, len(path), changes)
            path.append(number)
            world = system.step(world, options[number])
        return None

    def _moments(self, count: int) -> list[int]:
        """So many moments of a run, in order; each makes the run longer, and so the next later."""
        length = max(1, self.draws.length)
        return sorted(self.dice.below(length * (number + 1)) for number in range(count))

    def _due(
        self, options: Sequence[Option], at: int, strikes: list[int], repeats: list[int]
    ) -> int | None:
        """A fault or a redelivery, when it is time for one and one can strike here."""
        for moments, costs in (
            (strikes, [each.faults for each in options]),
            (repeats, [each.redeliveries for each in options]),
        ):
            open_now = [number for number, cost in enumerate(costs) if cost]
            if moments and moments[0] <= at and open_now:
                moments.pop(0)
                return open_now[self.dice.below(len(open_now))]
        return None

    def _normal(
        self, options: Sequence[Option], normal: Sequence[int], at: int, changes: list[int]
    ) -> int:
        if not self.by_priority:
            return normal[self.dice.below(len(normal))]
        best = max(normal, key=lambda number: self._priority(options[number]))
        if changes and changes[0] <= at:
            # It would have gone on; from now on everything else goes first.
            self._priorities[self.system.owner(options[best])] = -len(changes)
            changes.pop(0)
            best = max(normal, key=lambda number: self._priority(options[number]))
        return best

    def _priority(self, option: Option) -> int:
        owner = self.system.owner(option)
        if owner not in self._priorities:
            self._priorities[owner] = self.dice.below(1 << 30)
        return self._priorities[owner]
