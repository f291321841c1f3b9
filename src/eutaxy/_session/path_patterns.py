"""Patterns of request paths: whether they are well formed, and how two of them relate.

What a pattern matches is said by `_base.requests.matches_path`.
"""

from __future__ import annotations

from eutaxy._base.requests import matches_path
from eutaxy._session.declared import Members
from eutaxy._session.http_parts import check_path


def read_pattern(members: Members) -> str:
    """The member `path`, a pattern that must be there."""
    path = members.text("path", "a path from `/`")
    check_pattern(members, path, "path")
    return path


def check_pattern(members: Members, path: str, name: str) -> None:
    """See that a path pattern can match the path of some request."""
    check_path(members, name, path)
    if "?" in path or "#" in path:
        found = f'`{name}` is "{path}", but requests are chosen by the path alone'
        raise members.wrong(found, "leave out the query and the fragment", word=name)
    *inner, last = path.split("/")
    if any("*" in each for each in inner) or ("*" in last and last != "*"):
        found = f'`{name}` is "{path}", but a * can only be the last segment'
        remedy = 'write ":name" for any one segment, and "/*" at the end for all that follow'
        raise members.wrong(found, remedy, word=path)
    if ":" in (*inner, last):
        found = f'`{name}` is "{path}", but a : begins the name of a segment'
        raise members.wrong(found, 'write it like "/charges/:id"', word=path)


def covers(pattern: str, other: str) -> bool:
    """Whether a pattern matches every path that another one matches."""
    *fixed, last = other.split("/")
    if last == "*":
        return pattern.endswith("/*") and matches_path(pattern, "/".join(fixed))
    return matches_path(pattern, other)


def overlaps(pattern: str, other: str) -> bool:
    """Whether some path matches both patterns."""
    left, right = pattern.split("/"), other.split("/")
    is_left_open, is_right_open = left[-1] == "*", right[-1] == "*"
    left, right = left[: len(left) - is_left_open], right[: len(right) - is_right_open]
    is_left_long_enough = is_left_open or len(left) >= len(right)
    is_right_long_enough = is_right_open or len(right) >= len(left)
    return (
        is_left_long_enough
        and is_right_long_enough
        and all(
            here == there or (here and there and ":" in (here[0], there[0]))
            for here, there in zip(left, right, strict=False)
        )
    )
