"""Anchored schedules: the choices of a run that are not what normally happens, each by its moment.

Following one is guided, not strict: between its turns the run does what normally happens in the
code as it is now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from eutaxy._session.model import Model
from eutaxy._session.regressions.moment import CLOCK, Moment, Sketch, Teller
from eutaxy._world.world import CLOCK_SLOT, Option, World

STEPS_MAX = 20_000
"""Longest run that is followed."""


@dataclass(frozen=True, slots=True)
class After:
    """The happening that a turn comes after, and how often time has passed in between.

    Args:
        moment: The happening.
        occurrence: Which one, from 1.
        waits: How often time passed since.
    """

    moment: Moment
    occurrence: int
    waits: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One choice that is not what normally happens.

    Args:
        does: A fault, `REDELIVER` or `GO_FIRST`.
        moment: What it happens to.
        occurrence: To which occurrence of it, from 1.
        which: Which of several equal choices, from 1.
        after: What it comes after; None where its moment says enough, or at the very beginning.
    """

    does: str
    moment: Moment
    occurrence: int
    which: int = 1
    after: After | None = None

    def __str__(self) -> str:
        number = f" (occurrence {self.occurrence})" if self.occurrence > 1 else ""
        return f"{self.does} at {self.moment}{number}"


@dataclass(slots=True)
class Followed:
    """A run along an anchored schedule.

    Args:
        path: The choices taken.
        placed: How many turns found their place.
        is_ended: Whether it came to rest or to a broken invariant within `STEPS_MAX`.
        counts: How often each moment happened.
        offered: What could have been done at each moment that happened.
    """

    path: list[int] = field(default_factory=list)
    placed: int = 0
    is_ended: bool = False
    counts: Counter[Moment] = field(default_factory=Counter)


class _Run:
    """Where a run is, in terms of moments."""

    def __init__(self, model: Model, events: Sequence[str]) -> None:
        self.model = model
        self.teller = Teller(model, events)
        self.world: World = model.initial
        self.counts: Counter[Moment] = Counter()
        self.last: tuple[Moment, int] | None = None
        self._clock = 0
        self._happened: dict[tuple[Moment, int], int] = {}

    def take(self, option: Option) -> None:
        """Go on with a choice."""
        moment = self.teller.moment(self.world, option)
        self.counts[moment] += 1
        if option.slot == CLOCK_SLOT:
            self._clock += 1
        else:
            self.last = (moment, self.counts[moment])
            self._happened[self.last] = self._clock
        self.world = self.model.step(self.world, option)

    def after(self) -> After | None:
        """The place of a turn that would be taken now."""
        if self.last is None:
            return After(Moment("", "", CLOCK), 0, self._clock) if self._clock else None
        return After(*self.last, self._clock - self._happened[self.last])

    def has_come_to(self, after: After | None) -> bool:
        """Whether something has happened, and so much time passed since."""
        if after is None:
            return True
        if after.moment.what == CLOCK:
            return self._clock >= after.waits
        at = self._happened.get((after.moment, after.occurrence))
        return at is not None and self._clock - at >= after.waits


def first_of(options: Sequence[Option]) -> int | None:
    """What normally happens; None at rest."""
    return next((n for n, each in enumerate(options) if not each.faults | each.redeliveries), None)


def turns_of(model: Model, events: Sequence[str], path: Sequence[int]) -> tuple[Turn, ...]:
    """Anchor the choices of a run that are not what normally happens."""
    run = _Run(model, events)
    turns: list[Turn] = []
    for number in path:
        options = model.choices(run.world)
        if number != first_of(options):
            turns.append(_turn(run, options, number))
        run.take(options[number])
    return tuple(turns)


def _turn(run: _Run, options: Sequence[Option], number: int) -> Turn:
    sketch = run.teller.sketch(run.world, options[number])
    moment = run.teller.moment(run.world, options[number])
    equal = _matching(run, options, sketch, moment)
    return Turn(
        does=sketch.does,
        moment=moment,
        occurrence=run.counts[moment] + 1,
        which=equal.index(number) + 1,
        after=None if sketch.is_tied else run.after(),
    )


def _matching(run: _Run, options: Sequence[Option], sketch: Sketch, moment: Moment) -> list[int]:
    """The choices that do the same to the same moment."""
    return [
        number
        for number, option in enumerate(options)
        if run.teller.sketch(run.world, option) == sketch
        and run.teller.moment(run.world, option) == moment
    ]


def follow(
    model: Model, events: Sequence[str], turns: Sequence[Turn], *, is_loose: bool = False
) -> Followed:
    """Run along an anchored schedule: each turn as soon as it has its place.

    Args:
        model: The model of the code as it is now.
        events: Names of its driver events.
        turns: The schedule.
        is_loose: Take turns as soon as they are possible, whatever they came after.
    """
    run = _Run(model, events)
    followed = Followed(counts=run.counts)
    while len(followed.path) < STEPS_MAX:
        options = model.choices(run.world)
        number = None
        if not model.is_bad(run.world):
            if followed.placed < len(turns):
                number = _place(run, options, turns[followed.placed], is_loose=is_loose)
            if number is None:
                number = first_of(options)
            else:
                followed.placed += 1
        if number is None:
            followed.is_ended = True
            break
        followed.path.append(number)
        run.take(options[number])
    return followed


def _place(run: _Run, options: Sequence[Option], turn: Turn, *, is_loose: bool) -> int | None:
    """The choice that a turn means, if it has its place here."""
    moment = turn.moment
    if not (is_loose or run.has_come_to(turn.after)):
        return None
    if run.counts[moment] + 1 != turn.occurrence:
        return None
    found: list[int] = []
    for number, option in enumerate(options):
        sketch = run.teller.sketch(run.world, option)
        if (sketch.does, sketch.activation, sketch.step) != (
            turn.does,
            moment.activation,
            moment.step,
        ):
            continue
        if run.teller.moment(run.world, option) == moment:
            found.append(number)
    return found[min(turn.which, len(found)) - 1] if found else None
