"""Invariants that are judged at rest: over rows, and over what monitors have marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eutaxy._base.functions import ScenarioFunctions
from eutaxy._base.requests import look_up
from eutaxy._base.scenario import (
    FunctionRef,
    Implies,
    Invariant,
    OncePerKey,
    RowsHold,
    SumEquals,
    Unique,
    WorkflowRows,
)
from eutaxy._base.value import Plain, Value, decode, encode
from eutaxy._check.key_path import find_key
from eutaxy._check.monitors import FIRST, OF, SECOND, Marks
from eutaxy.errors import ScenarioError

RowsOf = Callable[[WorkflowRows], Sequence[Value]]


@dataclass(frozen=True, slots=True)
class RestFinding:
    """An invariant broken at rest, in words."""

    invariant: str
    claim: str


def judge_marks(invariant: Invariant, marks: Marks) -> RestFinding | None:
    """What is missing at rest, by a monitor's marks."""
    match invariant:
        case OncePerKey():
            expected = [key for key, mark in marks.marks if mark & OF] or list(invariant.keys)
            seen = {key for key, mark in marks.marks if mark & 3}
            missing = next((key for key in expected if key not in seen), None)
            if missing is not None:
                selector = invariant.what.selector
                return RestFinding(
                    invariant.name,
                    f"{_shown(selector.target, selector.operation)} did not happen for key "
                    f"{missing}",
                )
        case Implies():
            for key, mark in marks.marks:
                if mark & FIRST and not mark & SECOND:
                    cause = invariant.cause.selector
                    effects = " nor ".join(
                        _shown(each.selector.target, each.selector.operation)
                        for each in invariant.effects
                    )
                    neither = "neither " if len(invariant.effects) > 1 else ""
                    return RestFinding(
                        invariant.name,
                        f"{_shown(cause.target, cause.operation)} happened for key {key}, but "
                        f"{neither}{effects} did{'' if neither else ' not'}",
                    )
        case _:
            pass
    return None


def _shown(target: str, operation: str | None) -> str:
    return " ".join(each for each in (target, operation) if each) or "the response"


def judge_rows(
    invariant: Invariant, rows_of: RowsOf, functions: ScenarioFunctions
) -> tuple[RestFinding | None, int]:
    """Judge an invariant over rows.

    Returns:
        The finding (None when it holds), and the number of rows that were looked at.
    """
    match invariant:
        case Unique():
            rows = rows_of(invariant.rows)
            return _unique(invariant, rows), len(rows)
        case SumEquals():
            rows = rows_of(invariant.rows)
            return _sum(invariant, rows), len(rows)
        case RowsHold():
            rows = rows_of(invariant.rows)
            return _predicate(invariant, rows, functions), len(rows)
        case _:
            return None, 0


def _unique(invariant: Unique, rows: Sequence[Value]) -> RestFinding | None:
    seen: dict[Value, str] = {}
    for row in rows:
        tree = decode(row)
        key = _key_of_row(invariant, tree)
        if key is None:
            continue
        assert isinstance(tree, dict)
        name = str(tree["id"])
        if key in seen:
            claim = (
                f"Workflow:{invariant.rows.binding} has two instances with "
                f"{invariant.key_path} = {key}: {seen[key]!r} and {name!r}"
            )
            return RestFinding(invariant.name, claim)
        seen[key] = name
    return None


def _key_of_row(invariant: Unique | SumEquals, row: Plain) -> Value | None:
    """What a row has at the key path; None when it has no output (yet), no params, no error."""
    if look_up(row, invariant.key_path.split(".")[0]) == (None, True):
        return None
    what = f"a row of {invariant.rows.binding}"
    return find_key(
        row, invariant.key_path, invariant=invariant.name, what=what, place=invariant.place
    )


def _sum(invariant: SumEquals, rows: Sequence[Value]) -> RestFinding | None:
    total: float = 0
    for row in rows:
        found = _key_of_row(invariant, decode(row))
        number = None if found is None else decode(found)
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ScenarioError(
                f"adding up {invariant.key_path!r} for invariant {invariant.name!r}",
                f"a row of {invariant.rows.binding} has {found} there, which is no number",
                "name a key path to numbers",
                place=invariant.place,
            )
        total += number
    if total == invariant.total:
        return None
    claim = f"{invariant.key_path} of the rows adds up to {total:g}, not to {invariant.total:g}"
    return RestFinding(invariant.name, claim)


def _predicate(
    invariant: RowsHold, rows: Sequence[Value], functions: ScenarioFunctions
) -> RestFinding | None:
    argument = encode([decode(row) for row in rows])
    if holds_by(functions, invariant.function, argument):
        return None
    when = "at some moment" if invariant.is_always else "at rest"
    claim = f"the predicate does not hold {when} for the rows of {invariant.rows.binding}"
    return RestFinding(invariant.name, f"{claim}: {_short(argument)}")


def holds_by(functions: ScenarioFunctions, function: FunctionRef, argument: Value) -> bool:
    """Whether a predicate of the scenario holds (anything but false and null counts as true)."""
    return decode(functions.call(function, argument)) not in (False, None)


def _short(argument: Value) -> str:
    return argument if len(argument) <= 200 else argument[:200] + "..."
