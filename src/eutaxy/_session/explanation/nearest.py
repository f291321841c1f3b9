"""The nearest schedule that passes: the same faults, one of them a few effects earlier or later.

Only what was run is told. Nothing is said where the schedule, followed by its turns, does not fail
as it is: what passes then need not pass because of the fault that was moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from eutaxy._base.record import RecordKind
from eutaxy._base.verdict import FaultMark, Passing
from eutaxy._explore.path import walk
from eutaxy._explore.trace import Trace, Tracer, trace_of
from eutaxy._platform.call import Fate
from eutaxy._session.explanation.unseen import UNSEEN
from eutaxy._session.model import Model
from eutaxy._session.regressions.anchored import Turn, follow, turns_of
from eutaxy._session.regressions.moment import GO_FIRST, REDELIVER, Moment, Teller

EFFECTS_MAX = 6
"""How many effects earlier or later a fault is tried."""

RUNS_MAX = 60
"""Most schedules that are tried for one violation, those that turn out not to exist too."""

_CRASHES = (Fate.CRASH_AFTER.value, Fate.CRASH_BEFORE.value)
"""The two sides of an effect on which an activation dies: one kind of misfortune."""


@dataclass(frozen=True, slots=True)
class _Effect:
    """An effect of the struck activation, in a run in which that fault does not strike."""

    number: int
    moment: Moment
    occurrence: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What came of moving the faults of a schedule.

    Args:
        passing: The nearest schedule that passes; None when none of those that were run does.
        runs: How many schedules with a moved fault were run.
    """

    passing: Passing | None = None
    runs: int = 0


def neighbours(
    model: Model,
    path: Sequence[int],
    invariant: str,
    write: Callable[[Sequence[int]], str],
) -> Neighbours:
    """Move each fault of a schedule and run what comes of it.

    Args:
        model: The graph of the schedule.
        path: Its choices.
        invariant: What it breaks.
        write: Writes a path as a token.
    """
    search = _Search(model, path)
    if not search.fails_as_it_is(invariant):
        return Neighbours()
    found: list[tuple[int, int, Passing]] = []
    for at, mark in enumerate(search.trace.faults):
        for is_later in (True, False):
            moved = search.first_passing(at, mark, is_later=is_later)
            if moved is not None:
                now, there, trace = moved
                effects = now.effect_number - mark.effect_number
                passing = Passing(
                    faults=tuple(trace.faults),
                    redelivered=tuple(trace.redelivered),
                    was=mark,
                    now=now,
                    effects=effects,
                    token=write(there),
                )
                found.append((abs(effects), len(found), passing))
    nearest = min(found, key=lambda each: each[:2])[2] if found else None
    return Neighbours(nearest, search.runs)


class _Search:
    """Runs schedules beside a given one."""

    def __init__(self, model: Model, path: Sequence[int]) -> None:
        self._model = model
        self._events = [event.name for event in model.scenario.drive]
        self._turns = turns_of(model, self._events, path)
        self._faults = [at for at, each in enumerate(self._turns) if _is_fault(each)]
        self.trace = trace_of(model, path)
        self.runs = 0
        self._followings = 0

    def fails_as_it_is(self, invariant: str) -> bool:
        """Whether following the turns breaks the invariant, as the schedule itself does."""
        if len(self._faults) != len(self.trace.faults):
            return False
        followed = self._followed(self._turns)
        if followed is None:
            return False
        trace = trace_of(self._model, followed)
        return any(each.invariant == invariant for each in self._model.claims(trace))

    def first_passing(
        self, at: int, mark: FaultMark, *, is_later: bool
    ) -> tuple[FaultMark, tuple[int, ...], Trace] | None:
        """The nearest run in one direction that passes: where the fault struck then, and the run.

        Args:
            at: Which fault.
            mark: Where it strikes in the schedule.
            is_later: In which direction.
        """
        index = self._faults[at]
        for moved in self._moves(index, mark, is_later=is_later):
            for order in self._orders(index, moved, is_later=is_later):
                if self._followings >= RUNS_MAX:
                    return None
                path = self._followed(order)
                if path is None:
                    continue
                trace = trace_of(self._model, path)
                now = self._moved(trace, mark)
                passes = None if now is None else self._passes(trace)
                self.runs += passes is not None
                if now is not None and passes:
                    return now, path, trace
                break
        return None

    def _passes(self, trace: Trace) -> bool | None:
        """Whether a run breaks nothing; None when that cannot be judged."""
        try:
            return not self._model.claims(trace)
        except UNSEEN:
            return None

    def _moves(self, index: int, mark: FaultMark, *, is_later: bool) -> Iterator[Turn]:
        """The turn at other effects of its activation, the nearest first."""
        turn = self._turns[index]
        if not mark.effect:
            return
        kinds = _CRASHES if turn.does in _CRASHES else (turn.does,)
        effects = self._effects_without(index, mark.activation)
        here = mark.effect_number
        beside = [each for each in effects if (each.number > here) == is_later]
        if not is_later:
            beside.reverse()
        near = [each for each in beside if abs(each.number - here) <= EFFECTS_MAX]
        for effect in near:
            for kind in kinds:
                is_same = (kind, effect.moment, effect.occurrence) == (
                    turn.does,
                    turn.moment,
                    turn.occurrence,
                )
                if not is_same:
                    yield replace(
                        turn, does=kind, moment=effect.moment, occurrence=effect.occurrence
                    )

    def _effects_without(self, index: int, activation: str) -> list[_Effect]:
        """The effects of an activation in the run without one of the turns."""
        path = self._followed((*self._turns[:index], *self._turns[index + 1 :]))
        if path is None:
            return []
        teller, tracer = Teller(self._model, self._events), Tracer()
        counts: Counter[Moment] = Counter()
        effects: list[_Effect] = []
        for world, option in walk(self._model, path):
            moment = teller.moment(world, option)
            counts[moment] += 1
            known = len(tracer.trace.records)
            tracer.take(self._model.explain(world, option), is_again=option.redeliveries > 0)
            effects += [
                _Effect(record.effect_number, moment, counts[moment])
                for record in tracer.trace.records[known:]
                if record.kind is RecordKind.EFFECT and record.activation == activation
            ]
        return effects

    def _orders(self, index: int, moved: Turn, *, is_later: bool) -> Iterator[tuple[Turn, ...]]:
        """The turns with one of them moved, in the orders in which it may come among them."""
        others = (*self._turns[:index], *self._turns[index + 1 :])
        places = range(index, len(others) + 1) if is_later else range(index, -1, -1)
        for place in places:
            yield (*others[:place], moved, *others[place:])

    def _followed(self, turns: Sequence[Turn]) -> tuple[int, ...] | None:
        """The run along turns; None when it cannot be made."""
        self._followings += 1
        try:
            followed = follow(self._model, self._events, turns)
        except UNSEEN:
            return None
        is_whole = all(turn.does == GO_FIRST for turn in turns[followed.placed :])
        return tuple(followed.path) if followed.is_ended and is_whole else None

    def _moved(self, trace: Trace, mark: FaultMark) -> FaultMark | None:
        """Where the moved fault struck, if all else that went wrong is the same."""
        others = Counter(_kind(each) for each in self.trace.faults)
        others[_kind(mark)] -= 1
        struck = Counter(_kind(each) for each in trace.faults)
        new = struck - others
        if trace.redelivered != self.trace.redelivered or others - struck or new.total() != 1:
            return None
        return next(
            (
                each
                for each in trace.faults
                if new[_kind(each)]
                and each.activation == mark.activation
                and each.text != mark.text
            ),
            None,
        )


def _is_fault(turn: Turn) -> bool:
    return turn.does not in (GO_FIRST, REDELIVER)


def _kind(mark: FaultMark) -> tuple[str, str, str]:
    """A fault without its lifetime and number, which may change when another fault is moved."""
    return mark.fault.value, mark.effect, mark.activation.rpartition("#")[0]
