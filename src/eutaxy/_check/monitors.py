"""Invariants that watch effects, as components: their small state is part of the world.

A monitor's state is what the future needs of the past, no more: counts are saturated at the first
number that breaks the claim. A monitor that breaks tells the alarm, whose state is the set of
broken invariants; a world is bad when the alarm is not silent.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from eutaxy._base.note import Match
from eutaxy._base.observation import Happened
from eutaxy._base.scenario import AtMostOncePerKey
from eutaxy._base.value import Value, decode
from eutaxy._check.key_path import find_key
from eutaxy._world.component import Address, Choice, Local, Step

ALARM: Address = ("~alarm",)


def monitor_address(invariant: str) -> Address:
    """Address of an invariant's monitor."""
    return ("~monitor", invariant)


class _Passive:
    """A component that only listens."""

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """None."""
        return ()

    def is_running(self, local: Local) -> bool:
        """Never."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """None."""
        return None

    def tick(self, local: Local, ms: int) -> Local:
        """Monitors see no time."""
        return local


@dataclass(frozen=True, slots=True)
class Broken:
    """To the alarm: an invariant is broken for a key."""

    invariant: str
    key: Value


class Alarm(_Passive):
    """Remembers what is broken; its state is () while all is well."""

    def initial(self) -> Local:
        """All well."""
        return ()

    def on(self, local: Local, message: Hashable) -> Step:
        """Remember a broken invariant."""
        assert isinstance(local, tuple)
        assert isinstance(message, Broken)
        entry = (message.invariant, message.key)
        return Step(tuple(sorted({*local, entry})))


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each key was seen, saturated; by key."""

    seen: tuple[tuple[Value, int], ...] = ()


class AtMostOnceMonitor(_Passive):
    """Counts the selected effects of each key up to two."""

    def __init__(self, invariant: AtMostOncePerKey) -> None:
        self._invariant = invariant

    def initial(self) -> Local:
        """Nothing seen."""
        return Counts()

    def on(self, local: Local, message: Hashable) -> Step:
        """Count an effect; the second for one key breaks the invariant."""
        assert isinstance(local, Counts)
        assert isinstance(message, Happened)
        invariant = self._invariant
        what = f"{message.target} {message.operation}"
        tree = {"args": decode(message.args)}
        key = find_key(
            tree, invariant.key_path, invariant=invariant.name, what=what, place=invariant.place
        )
        counts = dict(local.seen)
        count = min(2, counts.get(key, 0) + 1)
        counts[key] = count
        after = Counts(tuple(sorted(counts.items())))
        out = ((ALARM, Broken(invariant.name, key)),) if count == 2 else ()
        return Step(after, out, (Match(invariant.name, key, what),))
