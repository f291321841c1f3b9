"""Invariants that are judged at rest, over the rows that are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eutaxy._base.scenario import Unique, WorkflowRows
from eutaxy._base.value import Value, decode
from eutaxy._check.key_path import find_key


@dataclass(frozen=True, slots=True)
class RestFinding:
    """An invariant broken at rest, in words."""

    invariant: str
    claim: str


def check_unique(
    invariant: Unique, rows_of: Callable[[WorkflowRows], Sequence[Value]]
) -> tuple[RestFinding | None, int]:
    """Look for two rows with one key.

    Returns:
        The finding (None when it holds), and the number of rows that were looked at.
    """
    rows = rows_of(invariant.rows)
    seen: dict[Value, str] = {}
    for row in rows:
        tree = decode(row)
        what = f"a row of {invariant.rows.binding}"
        key = find_key(
            tree, invariant.key_path, invariant=invariant.name, what=what, place=invariant.place
        )
        assert isinstance(tree, dict)
        name = str(tree["id"])
        if key in seen:
            claim = (
                f"Workflow:{invariant.rows.binding} has two instances with "
                f"{invariant.key_path} = {key}: {seen[key]!r} and {name!r}"
            )
            return RestFinding(invariant.name, claim), len(rows)
        seen[key] = name
    return None, len(rows)
