"""Invariants that watch what happens, as components: their small state is part of the world.

Theory: a monitor keeps for each key what the future needs of the past, a *mark*: how often it was
seen (saturated at the first number that breaks the claim), or which of two things have happened. A
monitor that breaks tells the alarm, whose state is the set of broken invariants; a world is bad
when the alarm is not silent. What can only be judged at rest is read off the marks by `rest.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from eutaxy._base.note import Match
from eutaxy._base.observation import Happened
from eutaxy._base.requests import holds, matches_path
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    Implies,
    Invariant,
    Keyed,
    Never,
    NotBoth,
    OncePerKey,
    Ordered,
    Seen,
    Selector,
)
from eutaxy._base.value import NULL, Value, decode, encode
from eutaxy._check.key_path import find_key
from eutaxy._world.component import Address, Local, Passive, Step

ALARM: Address = ("~alarm",)

FIRST, SECOND = 1, 2
"""Bits of a mark in invariants over two selectors."""


OF = 4
"""Bit of a mark of `OncePerKey`: the key is expected, because another happening has it."""

ANY = FIRST | SECOND | OF


def monitor_address(invariant: str) -> Address:
    """Address of an invariant's monitor."""
    return ("~monitor", invariant)


@dataclass(frozen=True, slots=True)
class Broken:
    """To the alarm: an invariant is broken for a key."""

    invariant: str
    key: Value


class Alarm(Passive):
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
class Marks:
    """What a monitor remembers: a mark for each key that was seen, by key."""

    marks: tuple[tuple[Value, int], ...] = ()

    def of(self, key: Value) -> int:
        """The mark of a key; 0 when it was never seen."""
        return dict(self.marks).get(key, 0)

    def with_mark(self, key: Value, mark: int) -> Marks:
        """The marks with one changed."""
        return Marks(tuple(sorted({**dict(self.marks), key: mark}.items())))


def roles_of(invariant: Invariant) -> tuple[Keyed, ...]:
    """What an invariant listens to, each with its key path; empty for those over rows or traces."""
    match invariant:
        case AtMostOncePerKey():
            return (invariant.what,)
        case OncePerKey():
            return (invariant.what,) if invariant.of is None else (invariant.what, invariant.of)
        case Never():
            return (Keyed(selector=invariant.selector, key_path=""),)
        case NotBoth():
            return (invariant.first, invariant.second)
        case Ordered():
            return (invariant.first, invariant.then)
        case Implies():
            return (invariant.cause, *invariant.effects)
        case _:
            return ()


def was_tested(invariant: Invariant, seen: Iterable[Marks]) -> bool:
    """Whether anything happened that could have broken an invariant over happenings.

    `Never` and expected keys are tested by what does not happen.

    Args:
        invariant: The invariant.
        seen: All states of its monitor.
    """
    match invariant:
        case Never():
            return True
        case OncePerKey():
            needed = OF if invariant.of is not None else 0
        case Implies():
            needed = FIRST
        case Ordered():
            needed = SECOND
        case _:
            needed = ANY
    return not needed or any(mark & needed for each in seen for _, mark in each.marks)


class Monitor(Passive):
    """The monitor of one invariant over happenings."""

    def __init__(self, invariant: Invariant) -> None:
        self._invariant = invariant
        self._roles = roles_of(invariant)

    def initial(self) -> Local:
        """Nothing seen."""
        return Marks()

    def on(self, local: Local, message: Hashable) -> Step:
        """Mark the key of a happening; some marks break the invariant."""
        assert isinstance(local, Marks)
        assert isinstance(message, Happened)
        invariant = self._invariant
        out: list[tuple[Address, Hashable]] = []
        notes: list[Match] = []
        for role, keyed in enumerate(self._roles):
            if not selects(keyed.selector, message):
                continue
            key = self._key(keyed, message)
            before = local.of(key)
            after, is_broken = _marked(invariant, before, role)
            local = local.with_mark(key, after)
            is_effect = message.seen in (Seen.FETCH, Seen.BINDING, Seen.STEP)
            notes.append(Match(invariant.name, key, message.shown, role, is_effect))
            if is_broken:
                out.append((ALARM, Broken(invariant.name, key)))
        return Step(local, tuple(out), tuple(notes))

    def _key(self, keyed: Keyed, message: Happened) -> Value:
        if not keyed.key_path:
            return NULL
        return find_key(
            decode(message.view),
            keyed.key_path,
            invariant=self._invariant.name,
            what=message.shown,
            place=self._invariant.place,
        )


def _marked(invariant: Invariant, before: int, role: int) -> tuple[int, bool]:
    """The mark after a happening, and whether it breaks the invariant."""
    match invariant:
        case AtMostOncePerKey():
            return min(2, before + 1), before >= 1
        case OncePerKey():
            # Low bits count, the bit OF says that the key is expected.
            count, of = before & 3, before & OF
            if role == 1:
                return count | OF, False
            return min(2, count + 1) | of, invariant.is_exact and count >= 1
        case Never():
            return 1, True
        case NotBoth():
            after = before | (FIRST if role == 0 else SECOND)
            return after, after == FIRST | SECOND
        case Ordered():
            is_early = role == 1 and not before & FIRST
            return before | (FIRST if role == 0 else SECOND), is_early
        case _:
            return before | (FIRST if role == 0 else SECOND), False


def selects(selector: Selector, happened: Happened) -> bool:
    """Whether a selector selects a happening."""
    if selector.seen is not happened.seen or selector.target != happened.target:
        return False
    if selector.operation not in (None, happened.operation):
        return False
    if selector.path and not matches_path(selector.path, happened.path):
        return False
    return not selector.where or holds(decode(happened.view), selector.where)


IDEMPOTENT = ("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE")
"""Methods whose repetition has no further effect by definition, and so needs no key.

Source:
    RFC 9110, section 9.2.2.
"""


class RepeatMonitor(Passive):
    """The built-in `unkeyed-repeat`: the same request twice, without the key that the service
    takes.

    Its state is the set of (origin, request) seen so far among requests without a key.
    """

    name = "unkeyed-repeat"

    def initial(self) -> Local:
        """Nothing seen."""
        return Marks()

    def on(self, local: Local, message: Hashable) -> Step:
        """Remember a request without a key; the same from the same place breaks the invariant."""
        assert isinstance(local, Marks)
        assert isinstance(message, Happened)
        if not message.is_unkeyed or message.operation in IDEMPOTENT:
            return Step(local)
        view = decode(message.view)
        assert isinstance(view, dict)
        args = view["args"]
        assert isinstance(args, dict)
        key = encode([message.origin, args.get("path"), args.get("body")])
        note = Match(self.name, key, message.shown)
        if local.of(key):
            return Step(local, ((ALARM, Broken(self.name, key)),), (note,))
        return Step(local.with_mark(key, 1), (), (note,))


class OddityMonitor(Passive):
    """A built-in invariant that the platform's pieces judge themselves."""

    def __init__(self, name: str) -> None:
        self._name = name

    def initial(self) -> Local:
        """All well."""
        return Marks()

    def on(self, local: Local, message: Hashable) -> Step:
        """The invariant is broken."""
        assert isinstance(message, Happened)
        key = encode(message.shown)
        note = Match(self._name, key, message.shown, is_effect=False)
        return Step(local, ((ALARM, Broken(self._name, key)),), (note,))
