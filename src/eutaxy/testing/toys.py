"""Toy worlds: graphs whose schedules can be counted by hand.

`Counters` has closed formulas. W counters have N effects each, all under way at once; before an
effect happens it may be hit by a fault of one of K kinds, any number of times, and is tried again.

A counter with h hits has N + h events, of which the last is an effect, and its hits are spread over
its effects in C(N-1+h, h) ways. The counters interleave freely, so with exactly f faults there are

    sum over h_1 + ... + h_W = f of
        multinomial(N+h_1, ..., N+h_W) * product of C(N-1+h_i, h_i) * K^h_i

schedules. By hand, W = 2 and N = 1 (effects a and b) and K = 1 (hits x of a, y of b):

    no fault    ab ba                                                            2
    one fault   xab xba bxa  yab yba ayb                                         6
    two faults  xxab xxba xbxa bxxa  yyab yyba yayb ayyb                         8
                xyab xyba yxab yxba xayb ybxa (x before a, y before b: 4!/(2*2)) 6

`Machine` is a component given as a table, for graphs that are drawn by hand or at random.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, factorial, prod
from typing import TypeAlias

from eutaxy._base.fault import Fault
from eutaxy._world.component import Address, Choice, Component, Gate, Local, Step
from eutaxy._world.divisible import DivisibleSystem
from eutaxy._world.world import World

Judge: TypeAlias = Callable[[Sequence[Local]], bool]


def _never(states: Sequence[Local]) -> bool:
    return False


class Toy(DivisibleSystem):
    """A graph of toy components.

    Args:
        components: By address; all exist from beginning to end.
        slots_max: Most components running at once.
        is_bad: Judges the states of all components, in the order of their addresses.
        is_bad_at_rest: The same, for worlds at rest.
    """

    def __init__(
        self,
        components: Mapping[Address, Component],
        *,
        slots_max: int = 100,
        is_bad: Judge = _never,
        is_bad_at_rest: Judge = _never,
    ) -> None:
        self._judge = is_bad
        self._judge_at_rest = is_bad_at_rest
        super().__init__(
            components.__getitem__,
            tuple(components),
            slots_max=slots_max,
            order=lambda address: (0, address),
        )

    def is_bad(self, world: World) -> bool:
        """As given."""
        return self._judge(self.states(world))

    def is_bad_at_rest(self, world: World) -> bool:
        """As given."""
        return self._judge_at_rest(self.states(world))

    def states(self, world: World) -> list[Local]:
        """The states of all components, in the order of their addresses."""
        return [local for _, local in self.locals_of(world)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """The toy with the closed formula (see the module).

    Args:
        counters: W, how many.
        effects: N, the effects of each.
        kinds: The faults that may hit an effect.
        is_remembering: Whether a counter keeps how often each kind has hit it; then different
            histories stay different worlds.
    """

    counters: int
    effects: int
    kinds: tuple[Fault, ...] = (Fault.REQUEST_LOST,)
    is_remembering: bool = False

    def toy(self, *, is_bad: Judge = _never) -> Toy:
        """The graph, with the worlds that are bad."""
        component = _Counter(self)
        components: dict[Address, Component] = {
            ("counter", f"{number:02}"): component for number in range(self.counters)
        }
        return Toy(components, is_bad=is_bad)

    def schedules(self, faults: int) -> int:
        """How many schedules have exactly so many faults."""
        effects, kinds = self.effects, len(self.kinds)
        total = 0
        for hits in _shares(faults, self.counters):
            events = [effects + hit for hit in hits]
            orders = factorial(sum(events)) // prod(factorial(each) for each in events)
            total += orders * prod(comb(effects - 1 + hit, hit) * kinds**hit for hit in hits)
        return total

    def worlds(self, faults_max: int) -> int:
        """How many worlds there are with at most so many faults.

        Each counter stands at one of N + 1 places; a remembering one also keeps K numbers, and all
        W * K numbers together are at most `faults_max`.
        """
        places: int = (self.effects + 1) ** self.counters
        numbers = self.counters * len(self.kinds)
        return places * comb(faults_max + numbers, numbers) if self.is_remembering else places


class _Counter:
    """One counter; its state is (effects done, hits by kind)."""

    def __init__(self, shape: Counters) -> None:
        self._shape = shape

    def initial(self) -> Local:
        """Nothing done."""
        return (0, (0,) * len(self._shape.kinds))

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """Do the next effect, or be hit."""
        if not self.is_running(local):
            return ()
        hits = tuple(Choice(number, fault) for number, fault in enumerate(self._shape.kinds))
        return (Choice("do"), *hits)

    def is_running(self, local: Local) -> bool:
        """Until all effects are done."""
        assert isinstance(local, tuple)
        return bool(local[0] < self._shape.effects)

    def next_timer(self, local: Local) -> int | None:
        """None."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Nothing depends on time."""
        return local

    def on(self, local: Local, message: Hashable) -> Step:
        """Do the effect, or note the hit."""
        assert isinstance(local, tuple)
        done, hits = local
        if message == "do":
            return Step((done + 1, hits))
        if self._shape.is_remembering:
            hits = tuple(hit + (kind == message) for kind, hit in enumerate(hits))
        return Step((done, hits))


def _shares(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to split a number into an ordered list of parts."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _shares(total - first, parts - 1):
            yield (first, *rest)


@dataclass(frozen=True, slots=True)
class Tell:
    """What a move tells another machine, which goes to `hears[state, word]` if there is such."""

    address: Address
    word: int


@dataclass(frozen=True, slots=True)
class Move:
    """One row of a machine's table.

    Args:
        to: The state it leads to.
        fault: The fault that it is.
        gate: When it is open.
        tells: Whom it tells something.
    """

    to: int
    fault: Fault | None = None
    gate: Gate = Gate.STEP
    tells: Tell | None = None


@dataclass(frozen=True, slots=True)
class At:
    """State of a machine, and what is left of its timer (0 when it is due)."""

    state: int
    left_ms: int = 0


class Machine:
    """A component given as a table.

    It starts in state 0. Redeliveries (`Gate.AGAIN`) must lead to another state, so that they are
    part of the world, as everywhere.

    Args:
        moves: What may happen in each state; a state without an entry is an end.
        hears: Where a word leads from a state.
        timers: States that wait so long; their moves (all `Gate.START`) open when it is over.
    """

    def __init__(
        self,
        moves: Mapping[int, Sequence[Move]],
        *,
        hears: Mapping[tuple[int, int], int] | None = None,
        timers: Mapping[int, int] | None = None,
    ) -> None:
        self._moves = moves
        self._hears = hears or {}
        self._timers = timers or {}

    def initial(self) -> Local:
        """State 0."""
        return self._at(0)

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """The rows of the state."""
        assert isinstance(local, At)
        if local.left_ms:
            return ()
        rows = self._moves.get(local.state, ())
        return tuple(Choice(row, move.fault, move.gate) for row, move in enumerate(rows))

    def is_running(self, local: Local) -> bool:
        """While something may happen at once."""
        return any(choice.gate is Gate.STEP for choice in self.choices(local))

    def next_timer(self, local: Local) -> int | None:
        """As the table says."""
        assert isinstance(local, At)
        return local.left_ms if local.state in self._timers else None

    def tick(self, local: Local, ms: int) -> Local:
        """Time passes."""
        assert isinstance(local, At)
        return At(local.state, max(0, local.left_ms - ms))

    def on(self, local: Local, message: Hashable) -> Step:
        """Take a row, or hear a word."""
        assert isinstance(local, At)
        if isinstance(message, Tell):
            to = self._hears.get((local.state, message.word))
            return Step(local if to is None else self._at(to))
        assert isinstance(message, int)
        move = self._moves[local.state][message]
        out = () if move.tells is None else ((move.tells.address, move.tells),)
        return Step(self._at(move.to), out)

    def _at(self, state: int) -> At:
        return At(state, self._timers.get(state, 0))
