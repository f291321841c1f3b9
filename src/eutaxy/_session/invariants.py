"""Building invariants: what must be true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eutaxy._base.scenario import (
    BUILT_IN,
    SUSPICIONS,
    AtMostOncePerKey,
    Implies,
    Invariant,
    Keyed,
    Never,
    NotBoth,
    OncePerKey,
    Ordered,
    RowsHold,
    SumEquals,
    TraceHolds,
    Unique,
)
from eutaxy._base.value import Value
from eutaxy._session.declared import Members, alternatives, call, first_twice, near_miss
from eutaxy._session.given import json_value, read_function
from eutaxy._session.selectors import SelectorReader
from eutaxy._session.source import Source

_ROWS_FUNCTION = "a function from the rows to whether they are as they should be"
_TRACE_FUNCTION = "a function from the trace to whether it is as it should be"


def read_without(outer: Members) -> tuple[str, ...]:
    """Names of built-in invariants that are switched off."""
    return _names(outer, "without", BUILT_IN, "built-in invariant")


def read_silenced(outer: Members) -> tuple[str, ...]:
    """Rules whose suspicions are not reported."""
    return _names(outer, "silenced", SUSPICIONS, "rule of suspicions")


def _names(outer: Members, member: str, known: tuple[str, ...], kind: str) -> tuple[str, ...]:
    names = outer.items(member, f"a list of names, each of a {kind}")
    for name in names:
        if name not in known:
            near = near_miss(name, known) if isinstance(name, str) else ""
            raise outer.wrong(
                f"`{member}` names {name!r}, which is no {kind}{near}",
                f"there are: {alternatives(known)}",
                word=name if isinstance(name, str) else member,
            )
    again = first_twice(names)
    if again is not None:
        raise outer.wrong(f"`{member}` names {again} twice", "keep one", word=again)
    return tuple(names)


def read_invariants(
    source: Source, outer: Members, reader: SelectorReader, without: tuple[str, ...]
) -> tuple[Invariant, ...]:
    """The invariants that the scenario declares."""
    items = outer.items("invariants", "a list of invariants")
    if not items and set(without) == set(BUILT_IN):
        kinds = f"{source.function('atMostOncePerKey')}(...) or {source.function('unique')}(...)"
        found = "there are no invariants, so there is nothing to check"
        raise outer.wrong(found, f"add one: {kinds}", word="invariants")
    built: list[Invariant] = []
    for item in items:
        kind, members = call(source, item, _READERS, where="`invariants`", place=outer.place)
        name = members.text("name")
        members.what = f'invariant "{name}"'
        if any(name == each.name for each in built):
            raise members.wrong("its name is taken", "give each invariant a name of its own")
        if name in BUILT_IN:
            raise members.wrong("it has the name of a built-in one", "choose another name")
        invariant = _READERS[kind](name, members, reader)
        members.finish()
        built.append(invariant)
    return tuple(built)


def _at_most_once(name: str, members: Members, reader: SelectorReader) -> Invariant:
    what = reader.keyed(members)
    return AtMostOncePerKey(name=name, what=what, place=members.shown_place())


def _exactly_once(name: str, members: Members, reader: SelectorReader) -> Invariant:
    return _once(name, members, reader, is_exact=True)


def _at_least_once(name: str, members: Members, reader: SelectorReader) -> Invariant:
    return _once(name, members, reader, is_exact=False)


def _once(name: str, members: Members, reader: SelectorReader, *, is_exact: bool) -> Invariant:
    what = reader.keyed(members)
    tree = members.raw("expected", "the keys that are expected: `keys` or `of`")
    if not isinstance(tree, dict) or "$eutaxy" in tree:
        raise members.mistyped("expected", tree, "an object with `keys` or `of`")
    expected = Members(members.source, tree, members.what, members.place)
    if expected.has("keys") == expected.has("of"):
        raise members.wrong(
            "it needs one of `keys` and `of`",
            "say which keys are expected: a list of them, or of what they are the keys",
        )
    keys: tuple[Value, ...] = ()
    of: Keyed | None = None
    if expected.has("keys"):
        keys = _keys(expected)
        expected.optional("of")
    else:
        of = reader.pair(expected, "of")
    expected.finish()
    return OncePerKey(
        name=name, what=what, keys=keys, of=of, is_exact=is_exact, place=members.shown_place()
    )


def _keys(expected: Members) -> tuple[Value, ...]:
    wanted = "a list of keys"
    trees: list[Any] = expected.items("keys", wanted)
    if not trees:
        raise expected.wrong("`keys` is empty", "name at least one key", word="keys")
    keys = tuple(json_value(tree) for tree in trees)
    again = first_twice(keys)
    if again is not None:
        raise expected.wrong(f"`keys` has {again} twice", "keep one", word="keys")
    return keys


def _never(name: str, members: Members, reader: SelectorReader) -> Invariant:
    selector = reader.selector(members)
    return Never(name=name, selector=selector, place=members.shown_place())


def _not_both(name: str, members: Members, reader: SelectorReader) -> Invariant:
    first, second = reader.pair(members, "first"), reader.pair(members, "second")
    return NotBoth(name=name, first=first, second=second, place=members.shown_place())


def _ordered(name: str, members: Members, reader: SelectorReader) -> Invariant:
    first, then = reader.pair(members, "first"), reader.pair(members, "then")
    return Ordered(name=name, first=first, then=then, place=members.shown_place())


def _implies(name: str, members: Members, reader: SelectorReader) -> Invariant:
    cause = reader.pair(members, "cause")
    effects = tuple(
        reader.pair_of(members, "effects", given)
        for given in members.items("effects", "a list of selectors", is_needed=True)
    )
    return Implies(name=name, cause=cause, effects=effects, place=members.shown_place())


def _unique(name: str, members: Members, reader: SelectorReader) -> Invariant:
    rows = reader.rows(members)
    key_path = reader.row_key(members)
    return Unique(name=name, rows=rows, key_path=key_path, place=members.shown_place())


def _sum_equals(name: str, members: Members, reader: SelectorReader) -> Invariant:
    rows = reader.rows(members)
    key_path = reader.row_key(members)
    total = members.raw("total", "a number")
    if isinstance(total, bool) or not isinstance(total, (int, float)):
        raise members.mistyped("total", total, "a number")
    place = members.shown_place()
    return SumEquals(name=name, rows=rows, key_path=key_path, total=total, place=place)


def _always(name: str, members: Members, reader: SelectorReader) -> Invariant:
    return _rows_hold(name, members, reader, is_always=True)


def _eventually(name: str, members: Members, reader: SelectorReader) -> Invariant:
    return _rows_hold(name, members, reader, is_always=False)


def _rows_hold(
    name: str, members: Members, reader: SelectorReader, *, is_always: bool
) -> Invariant:
    rows = reader.rows(members)
    function = read_function(members, "holds", _ROWS_FUNCTION)
    place = members.shown_place()
    return RowsHold(name=name, rows=rows, function=function, is_always=is_always, place=place)


def _trace_holds(name: str, members: Members, reader: SelectorReader) -> Invariant:
    function = read_function(members, "holds", _TRACE_FUNCTION)
    return TraceHolds(name=name, function=function, place=members.shown_place())


_READERS: dict[str, Callable[[str, Members, SelectorReader], Invariant]] = {
    "atMostOncePerKey": _at_most_once,
    "exactlyOncePerKey": _exactly_once,
    "atLeastOncePerKey": _at_least_once,
    "never": _never,
    "notBoth": _not_both,
    "ordered": _ordered,
    "implies": _implies,
    "unique": _unique,
    "sumEquals": _sum_equals,
    "always": _always,
    "eventually": _eventually,
    "traceHolds": _trace_holds,
}
