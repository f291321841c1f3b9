"""Requests and responses as invariants and services see them: views, paths, conditions."""

from __future__ import annotations

from urllib.parse import urlsplit

from eutaxy._base.display import display
from eutaxy._base.value import Plain, Value, decode, encode


def request_view(args: Value) -> dict[str, Plain]:
    """The arguments of a request with its path (whole and in segments), and a JSON body parsed."""
    tree = decode(args)
    assert isinstance(tree, dict)
    path = urlsplit(str(tree["url"])).path
    view: dict[str, Plain] = {"path": path, "segments": segments_of(path), **tree}
    view["body"] = parsed_body(tree.get("body"))
    return view


def segments_of(path: str) -> list[Plain]:
    """The parts of a path: "/cb/job-1" gives "cb" and "job-1"."""
    return list(path.strip("/").split("/"))


def response_view(answer: Value) -> dict[str, Plain]:
    """A response with a JSON body parsed."""
    tree = decode(answer)
    assert isinstance(tree, dict)
    return {**tree, "body": parsed_body(tree.get("body"))}


def parsed_body(body: Plain) -> Plain:
    """A body as key paths see it: JSON text is parsed, everything else is left as it is."""
    if not isinstance(body, str):
        return body
    try:
        return decode(Value(body))
    except ValueError:
        return body


def matches_path(pattern: str, path: str) -> bool:
    """Whether a path fits a pattern: literal, with ":name" segments, or with a final "*"."""
    if pattern == path:
        return True
    wanted, found = pattern.split("/"), path.split("/")
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        found = found[: len(wanted)]
    return len(wanted) == len(found) and all(
        want == have or (want.startswith(":") and have != "")
        for want, have in zip(wanted, found, strict=True)
    )


def look_up(tree: Plain, path: str) -> tuple[Plain, bool]:
    """What is at a key path ("args.body.expenseId"), and whether anything is."""
    here = tree
    for name in path.split("."):
        if isinstance(here, dict) and name in here:
            here = here[name]
        elif isinstance(here, list) and name.isdecimal() and int(name) < len(here):
            here = here[int(name)]
        else:
            return None, False
    return here, True


def what_is_there(tree: Plain, path: str) -> str:
    """Where a key path that leads nowhere leaves the tree, and what is there instead."""
    names = path.split(".")
    depth = 0
    while depth < len(names) and look_up(tree, ".".join(names[: depth + 1]))[1]:
        depth += 1
    here = look_up(tree, ".".join(names[:depth]))[0] if depth else tree
    inside = ".".join(names[:depth]) or "it"
    return f"there is no {names[depth]!r} in {inside}; there is {_names(here)}"


def _names(tree: Plain) -> str:
    if isinstance(tree, dict) and "$" not in tree:
        return ", ".join(repr(name) for name in tree) or "an empty object"
    if isinstance(tree, list):
        return f"a list of {len(tree)}"
    return f"the value {display(encode(tree))}"


def holds(tree: Plain, conditions: tuple[tuple[str, Value], ...]) -> bool:
    """Whether every (key path, expected value) holds in a tree."""
    for path, expected in conditions:
        found, is_there = look_up(tree, path)
        if not is_there or encode(found) != expected:
            return False
    return True
