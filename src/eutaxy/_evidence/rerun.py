"""Executing a ledger again: worlds are rebuilt from the first one and compared with their records.

A world is rebuilt along the way that the ledger itself shows to it, in a system that knows nothing
of the search. In each world on that way the key, the choices and the marks are compared.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Protocol

from eutaxy._evidence.closure import INITIAL, Ways, shown_choice
from eutaxy._evidence.ledger import OUTSIDE, Choice, Discrepancy, Ledger, Mark
from eutaxy._world.world import Option, World


class Runnable(Protocol):
    """What a ledger is of."""

    @property
    def initial(self) -> World:
        """Where every schedule begins."""
        ...

    def choices(self, world: World) -> Sequence[Option]:
        """What may happen next."""
        ...

    def step(self, world: World, option: Option) -> World:
        """What it leads to."""
        ...

    def describe(self, option: Option) -> str:
        """A choice as text, the same in every process."""
        ...

    def is_bad(self, world: World) -> bool:
        """Whether an invariant is broken."""
        ...

    def is_bad_at_rest(self, world: World) -> bool:
        """Whether an invariant that is judged at rest is broken in a world at rest."""
        ...


class Rerun:
    """Executes parts of a ledger again; `worlds` and `edges` count what was compared.

    Args:
        ledger: The ledger.
        ways: A way to each world.
        system: What it is of, made afresh.
        key: Gives the key of a world.
        is_bad_run: Judges a whole run at rest by the numbers of its choices; None where worlds say
            all.
    """

    def __init__(
        self,
        ledger: Ledger,
        ways: Ways,
        system: Runnable,
        key: Callable[[World], str],
        is_bad_run: Callable[[tuple[int, ...]], bool] | None = None,
    ) -> None:
        self.edges = 0
        self._ledger = ledger
        self._ways = ways
        self._system = system
        self._key = key
        self._is_bad_run = is_bad_run
        self._rebuilt: dict[int, World] = {}

    @property
    def worlds(self) -> int:
        """Worlds that were rebuilt and compared."""
        return len(self._rebuilt)

    def follow(self, entries: Sequence[int]) -> None:
        """Take choices again, given by their entries, and compare where they lead.

        Raises:
            Discrepancy: The first thing that is otherwise.
        """
        ledger, system = self._ledger, self._system
        self.rebuild(INITIAL)
        for entry in entries:
            source = bisect_right(ledger.starts, entry) - 1
            target = ledger.entry_target[entry]
            before = self.rebuild(source)
            after = system.step(before, system.choices(before)[entry - ledger.starts[source]])
            self.edges += 1
            if self._key(after) != ledger.keys[target]:
                found = f"it does not lead to world {target}"
                raise Discrepancy(shown_choice(ledger, source, entry), found)

    def rebuild(self, world: int) -> World:
        """A world, by the recorded way to it.

        Raises:
            Discrepancy: Something on the way is otherwise.
        """
        ledger, ways = self._ledger, self._ways
        missing: list[int] = []
        while world not in self._rebuilt:
            missing.append(world)
            if world == INITIAL:
                break
            world = ways.source[world]
        for each in reversed(missing):
            if each == INITIAL:
                value = self._system.initial
            else:
                source, entry = ways.source[each], ways.entry[each]
                before = self._rebuilt[source]
                option = self._system.choices(before)[entry - ledger.starts[source]]
                value = self._system.step(before, option)
                if self._key(value) != ledger.keys[each]:
                    found = f"it does not lead to world {each}"
                    raise Discrepancy(shown_choice(ledger, source, entry), found)
            self._compare(each, value)
            self._rebuilt[each] = value
        return self._rebuilt[missing[0] if missing else world]

    def _compare(self, world: int, value: World) -> None:
        ledger, system, mark = self._ledger, self._system, self._ledger.marks[world]
        if self._key(value) != ledger.keys[world]:
            raise Discrepancy(f"world {world}", "its key is another one")
        if system.is_bad(value) is not (mark is Mark.BAD):
            raise Discrepancy(f"world {world}", _judged(mark, is_bad=mark is not Mark.BAD))
        if not mark.has_choices:
            return
        options = system.choices(value)
        now = [Choice(each.faults, each.redeliveries, system.describe(each)) for each in options]
        recorded = [ledger.choices[ledger.entry_choice[each]] for each in ledger.entries(world)]
        for number, choice in enumerate(now):
            if number >= len(recorded) or recorded[number] != choice:
                where = f"world {world}, choice {number} ({choice.text.strip()})"
                raise Discrepancy(where, "the ledger does not have it")
        if len(recorded) > len(now):
            entry = ledger.starts[world] + len(now)
            raise Discrepancy(shown_choice(ledger, world, entry), "there is no such choice")
        if mark.is_end and self._is_bad_at_rest(world, value) is not mark.is_bad:
            raise Discrepancy(f"world {world}", _judged(mark, is_bad=not mark.is_bad))

    def _is_bad_at_rest(self, world: int, value: World) -> bool:
        if self._system.is_bad_at_rest(value):
            return True
        return self._is_bad_run is not None and self._is_bad_run(self._path(world))

    def _path(self, world: int) -> tuple[int, ...]:
        path: list[int] = []
        while world != INITIAL:
            source = self._ways.source[world]
            path.append(self._ways.entry[world] - self._ledger.starts[source])
            world = source
        return tuple(reversed(path))


def all_entries(ledger: Ledger) -> list[int]:
    """The entries of all choices that lead to a world."""
    return [entry for entry, target in enumerate(ledger.entry_target) if target != OUTSIDE]


def sampled_entries(ledger: Ledger, size: int, seed: str) -> list[int]:
    """Some of them, all equally likely; the seed decides which."""
    entries = all_entries(ledger)
    if size >= len(entries):
        return entries
    drawn: dict[int, None] = {}
    draw = 0
    while len(drawn) < size:
        digest = hashlib.blake2b(f"{seed}/{draw}".encode(), digest_size=8).digest()
        drawn[entries[int.from_bytes(digest, "big") % len(entries)]] = None
        draw += 1
    return sorted(drawn)


def _judged(mark: Mark, *, is_bad: bool) -> str:
    what = "an invariant is broken in it" if is_bad else "no invariant is broken in it"
    return f'it is marked "{mark.value}", and {what}'
