"""Taking values apart and putting them together without disturbing their references.

A `ref` counts the objects of the whole value it stands in, so a part that moves into another value
(the params of a call into the event of a run, an event's payload into what a wait returns) must be
renumbered. Values without references, nearly all, take a fast path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eutaxy._base.value import Plain, Value, decode, encode

_REF_MARK = '{"$":"ref",'


def compose(members: Sequence[tuple[str, Value]]) -> Value:
    """An object whose members are given values, each keeping its own references."""
    shift = 1
    written: list[str] = []
    has_refs = any(_REF_MARK in value for _, value in members)
    for name, value in members:
        moved = _moved(value, shift) if _REF_MARK in value else value
        written.append(f"{encode(name)}:{moved}")
        if has_refs:
            shift += _size(decode(value))
    return Value("{" + ",".join(written) + "}")


def _moved(value: Value, shift: int) -> Value:
    """The value with its references counted from elsewhere."""
    tree = decode(value)
    for ref in _refs(tree):
        target = ref["to"]
        assert isinstance(target, int)
        ref["to"] = target + shift
    return encode(tree)


def part(value: Value, *path: str) -> Value | None:
    """The value at a path of member names; None when there is none.

    References out of the part become copies of what they referred to, as a structured clone of
    the part alone would have them.
    """
    tree = decode(value)
    here = tree
    for name in path:
        if not isinstance(here, dict) or name not in here:
            return None
        here = here[name]
    if _REF_MARK not in value:
        return encode(here)
    number = 0
    at = tree
    for name in path:
        assert isinstance(at, dict)
        number += 1
        for sibling, child in at.items():
            if sibling == name:
                at = child
                break
            number += _size(child)
    return encode(_Renumbered(list(_objects(tree))).copy(here, number))


class _Renumbered:
    """Copies a part of a tree, numbering its objects anew."""

    def __init__(self, objects: list[Plain]) -> None:
        self._objects = objects
        self._new: dict[int, int] = {}

    def copy(self, tree: Plain, number: int) -> Plain:
        """Copy the tree whose first object has that number in the whole value."""
        if isinstance(tree, dict) and tree.get("$") == "ref":
            target = tree["to"]
            assert isinstance(target, int)
            if target in self._new:
                return {"$": "ref", "to": self._new[target]}
            return self.copy(self._objects[target], target)
        if _is_object(tree):
            self._new[number] = len(self._new)
        copies: list[Plain] = []
        at = number + 1
        for child in _children(tree):
            copies.append(self.copy(child, at))
            at += _size(child)
        return _with_children(tree, copies)


def _with_children(tree: Plain, copies: list[Plain]) -> Plain:
    """The tree with other children, in the order of `_children`."""
    if isinstance(tree, list):
        return copies
    if not isinstance(tree, dict):
        return tree
    tag, of = tree.get("$"), tree.get("of")
    if tag is None:
        return dict(zip(tree, copies, strict=True))
    if tag in ("map", "object"):
        pairs: list[Plain] = [[copies[at], copies[at + 1]] for at in range(0, len(copies), 2)]
        return {"$": tag, "of": pairs}
    if tag == "set":
        return {"$": tag, "of": copies}
    if tag == "error" and isinstance(of, dict):
        return {**tree, "of": dict(zip(of, copies, strict=True))}
    return tree


def _size(tree: Plain) -> int:
    return sum(1 for _ in _objects(tree))


def _is_object(tree: Plain) -> bool:
    if isinstance(tree, list):
        return True
    return isinstance(tree, dict) and tree.get("$") not in ("undefined", "number", "bigint", "ref")


def _children(tree: Plain) -> list[Plain]:
    if isinstance(tree, list):
        return tree
    if not isinstance(tree, dict):
        return []
    tag, of = tree.get("$"), tree.get("of")
    if tag is None:
        return list(tree.values())
    if tag in ("map", "object") and isinstance(of, list):
        return [each for pair in of for each in _pair(pair)]
    if tag == "set" and isinstance(of, list):
        return of
    if tag == "error" and isinstance(of, dict):
        return list(of.values())
    return []


def _pair(tree: Plain) -> list[Plain]:
    assert isinstance(tree, list)
    return tree


def _objects(tree: Plain) -> Iterator[Plain]:
    """All objects of a tree in the order in which they are numbered."""
    if _is_object(tree):
        yield tree
    for child in _children(tree):
        yield from _objects(child)


def _refs(tree: Plain) -> Iterator[dict[str, Plain]]:
    if isinstance(tree, dict) and tree.get("$") == "ref":
        yield tree
    for child in _children(tree):
        yield from _refs(child)
