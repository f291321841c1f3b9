"""Whether a ledger is closed and says what its report says, by the ledger alone.

Written to be read in one sitting, and without any code of the search that it judges:

1. From world 0, follow every recorded choice, those without faults first. This gives the fewest
   faults of each world, and a way to it. Each world must be met so, with the numbers recorded.
2. Each world inside the complete level must be explored, or be the end of its schedules because an
   invariant is broken. Each choice of an explored world that the bounds allow must lead somewhere.
3. Ways to worlds are counted forwards, by number of faults, in an order in which each world comes
   after all that lead to it. A schedule is a way to a world in which schedules may end.
"""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass

from eutaxy._base.verdict import VerdictKind
from eutaxy._evidence.ledger import OUTSIDE, Discrepancy, Ledger, Mark

INITIAL = 0
_UNMET = -1


@dataclass(frozen=True, slots=True)
class Ways:
    """A way to each world: the entry over which it is reached, and the world before."""

    entry: array[int]
    source: array[int]


@dataclass(frozen=True, slots=True)
class Closed:
    """What a ledger proves about itself.

    Args:
        ways: A way to each world.
        bad_worlds: Worlds in which an invariant is broken.
        unexplored: Worlds of which nothing more is known; all lie beyond the complete level.
        schedules: Schedules of the complete part, by number of faults.
    """

    ways: Ways
    bad_worlds: tuple[int, ...]
    unexplored: int
    schedules: tuple[int, ...]


def check_closed(ledger: Ledger) -> Closed:
    """See that a ledger leaves nothing out, and that its report counts what it holds.

    Raises:
        Discrepancy: The first thing that does not hold.
    """
    _check_targets(ledger)
    ways = ways_to(ledger)
    _check_levels(ledger, ways)
    if ledger.header.is_merging:
        _check_keys(ledger)
    for world in range(len(ledger.keys)):
        _check_world(ledger, world)
    schedules = _schedules(ledger)
    bad = tuple(world for world, mark in enumerate(ledger.marks) if mark.is_bad)
    _check_report(ledger, schedules, bad)
    return Closed(ways, bad, ledger.marks.count(Mark.UNEXPLORED), schedules)


def shown_choice(ledger: Ledger, world: int, entry: int) -> str:
    """A choice of a world in words."""
    text = ledger.choices[ledger.entry_choice[entry]].text
    return f"world {world}, choice {entry - ledger.starts[world]} ({text.strip()})"


# -- 1. every world is met ------------------------------------------------------------------------


def _check_targets(ledger: Ledger) -> None:
    count = len(ledger.keys)
    if not count:
        raise Discrepancy("world 0", "it is missing")
    for world in range(count):
        for entry in ledger.entries(world):
            if ledger.entry_target[entry] >= count:
                found = f"it leads to world {ledger.entry_target[entry]}, which is missing"
                raise Discrepancy(shown_choice(ledger, world, entry), found)


def ways_to(ledger: Ledger) -> Ways:
    """A way with fewest faults to each world that recorded choices lead to."""
    count = len(ledger.keys)
    entry_of = array("q", [_UNMET]) * count
    source_of = array("q", [_UNMET]) * count
    above = [(INITIAL, INITIAL, _UNMET)]
    while above:
        # One more fault than before; what needs no further one goes first.
        level, above = deque(above), []
        while level:
            world, source, over = level.popleft()
            if source_of[world] != _UNMET:
                continue
            source_of[world], entry_of[world] = source, over
            for entry in ledger.entries(world):
                target = ledger.entry_target[entry]
                if target != OUTSIDE and source_of[target] == _UNMET:
                    has_fault = ledger.choices[ledger.entry_choice[entry]].faults
                    (above if has_fault else level).append((target, world, entry))
    return Ways(entry_of, source_of)


def _check_levels(ledger: Ledger, ways: Ways) -> None:
    for world in range(len(ledger.keys)):
        source, over = ways.source[world], ways.entry[world]
        if source == _UNMET:
            raise Discrepancy(f"world {world}", "no recorded choice leads to it")
        choice = None if over == _UNMET else ledger.choices[ledger.entry_choice[over]]
        faults = ledger.faults[source] + choice.faults if choice else 0
        if ledger.faults[world] != faults:
            found = f"it says {ledger.faults[world]} faults, and {faults} lead to it"
            raise Discrepancy(f"world {world}", found)
        redeliveries = ledger.redeliveries[source] + choice.redeliveries if choice else 0
        if ledger.redeliveries[world] != redeliveries:
            found = f"it says {ledger.redeliveries[world]} redeliveries, {redeliveries} lead to it"
            raise Discrepancy(f"world {world}", found)


def _check_keys(ledger: Ledger) -> None:
    first: dict[str, int] = {}
    for world, key in enumerate(ledger.keys):
        if first.setdefault(key, world) != world:
            raise Discrepancy(f"world {world}", f"it has the key of world {first[key]}")


# -- 2. nothing is left out -----------------------------------------------------------------------


def _check_world(ledger: Ledger, world: int) -> None:
    mark, entries, complete = ledger.marks[world], ledger.entries(world), ledger.header.complete
    if not mark.has_choices and len(entries):
        raise Discrepancy(f"world {world}", f'it is marked "{mark.value}" and offers choices')
    level = (ledger.faults[world], ledger.redeliveries[world])
    if mark is Mark.UNEXPLORED:
        if complete is not None and level <= (complete.faults, complete.redeliveries):
            found = f"it is unexplored, and its level {level} is said to be complete"
            raise Discrepancy(f"world {world}", found)
        return
    bounds, goes_on = ledger.header.bounds, False
    for entry in entries:
        choice, target = ledger.choices[ledger.entry_choice[entry]], ledger.entry_target[entry]
        goes_on |= not (choice.faults or choice.redeliveries)
        is_inside = (
            level[0] + choice.faults <= bounds.max_faults
            and level[1] + choice.redeliveries <= bounds.max_redeliveries
        )
        if is_inside and target == OUTSIDE:
            raise Discrepancy(shown_choice(ledger, world, entry), "it is unexplored")
        if not is_inside and target != OUTSIDE:
            raise Discrepancy(shown_choice(ledger, world, entry), "it lies outside of the bounds")
        if target != OUTSIDE and ledger.redeliveries[target] != level[1] + choice.redeliveries:
            found = f"world {target} is said to have {ledger.redeliveries[target]} redeliveries"
            raise Discrepancy(shown_choice(ledger, world, entry), found)
    if mark.has_choices and goes_on is mark.is_end:
        what = "offers something that happens for certain" if goes_on else "offers no such thing"
        raise Discrepancy(f"world {world}", f'it is marked "{mark.value}" and {what}')


# -- 3. the report counts what is there -----------------------------------------------------------


def _schedules(ledger: Ledger) -> tuple[int, ...]:
    """Schedules of the complete part, by number of faults."""
    complete, bounds = ledger.header.complete, ledger.header.bounds
    if complete is None:
        return ()
    order = _in_order(ledger)
    ways = [0] * len(ledger.keys)
    ways[INITIAL] = 1
    totals: list[int] = []
    for faults in range(complete.faults + 1):
        is_last = faults == complete.faults
        redeliveries_max = complete.redeliveries if is_last else bounds.max_redeliveries
        with_another = [0] * len(ledger.keys)
        total = 0
        for world in order:
            count = ways[world]
            if not count or ledger.redeliveries[world] > redeliveries_max:
                continue
            if ledger.marks[world].is_end:
                total += count
            for entry in ledger.entries(world):
                target = ledger.entry_target[entry]
                if target != OUTSIDE:
                    has_fault = ledger.choices[ledger.entry_choice[entry]].faults
                    (with_another if has_fault else ways)[target] += count
        totals.append(total)
        ways = with_another
    return tuple(totals)


def _in_order(ledger: Ledger) -> list[int]:
    """Worlds, each after all that lead to it without a fault."""
    open_ways = array("q", [0]) * len(ledger.keys)
    for world in range(len(ledger.keys)):
        for target in _without_fault(ledger, world):
            open_ways[target] += 1
    order = [world for world, count in enumerate(open_ways) if not count]
    for world in order:
        for target in _without_fault(ledger, world):
            open_ways[target] -= 1
            if not open_ways[target]:
                order.append(target)
    if len(order) < len(ledger.keys):
        world = next(world for world, count in enumerate(open_ways) if count)
        raise Discrepancy(f"world {world}", "it is part of a circle, or comes after one")
    return order


def _without_fault(ledger: Ledger, world: int) -> list[int]:
    return [
        ledger.entry_target[entry]
        for entry in ledger.entries(world)
        if ledger.entry_target[entry] != OUTSIDE
        and not ledger.choices[ledger.entry_choice[entry]].faults
    ]


def _check_report(ledger: Ledger, schedules: tuple[int, ...], bad: tuple[int, ...]) -> None:
    header = ledger.header
    transitions = sum(1 for target in ledger.entry_target if target != OUTSIDE)
    for what, said, counted in (
        ("worlds", [header.worlds], [len(ledger.keys)]),
        ("transitions", [header.transitions], [transitions]),
        ("schedules", list(header.schedules), list(schedules)),
    ):
        if said != counted:
            found = f"it says {_numbers(said)} {what}, and the ledger holds {_numbers(counted)}"
            raise Discrepancy("the report", found)
    complete = header.complete
    if header.verdict == VerdictKind.BOUNDED.value:
        if complete is None:
            raise Discrepancy("the report", "it says BOUNDED, and no level is complete")
        for world in bad:
            level = (ledger.faults[world], ledger.redeliveries[world])
            if level <= (complete.faults, complete.redeliveries):
                found = "an invariant is broken in it, and the report says BOUNDED"
                raise Discrepancy(f"world {world}", found)
    if header.verdict == VerdictKind.VIOLATED.value and not bad:
        raise Discrepancy("the report", "it says VIOLATED, and no world breaks an invariant")


def _numbers(numbers: list[int]) -> str:
    return " + ".join(f"{each:,}" for each in numbers) or "no"
