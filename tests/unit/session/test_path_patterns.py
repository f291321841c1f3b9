"""How two path patterns relate, against all paths of a small world."""

from __future__ import annotations

from itertools import product

import pytest

from eutaxy._base.requests import matches_path
from eutaxy._session.path_patterns import covers, overlaps

SEGMENTS = ("a", "b", ":x")
PATTERNS = [
    "/" + "/".join((*segments, *last))
    for length in range(3)
    for segments in product(SEGMENTS, repeat=length)
    for last in ((), ("*",))
]
# One segment more than the longest pattern, and one value ("c") that no pattern names.
PATHS = [
    "/" + "/".join(segments) for length in range(5) for segments in product("abc", repeat=length)
]


def _matched(pattern: str) -> set[str]:
    return {path for path in PATHS if matches_path(pattern, path)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_relations_are_those_of_the_sets_of_paths(pattern: str) -> None:
    matched = _matched(pattern)
    for other in PATTERNS:
        others = _matched(other)
        assert covers(pattern, other) == (others <= matched), other
        assert overlaps(pattern, other) == bool(others & matched), other
