"""What becomes of a value that is written as plain JSON and read again, as JavaScript does it.

Dates become text, Maps and Sets lose their content, NaN becomes null, members that are undefined
disappear. BigInts and bytes, which JSON cannot say at all, become marks of what they were.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from eutaxy._base.value import Plain, Value, decode

UNDEFINED_TREE: dict[str, Plain] = {"$": "undefined"}

_DAY_MS = 86_400_000
_ERA_DAYS = 146_097
_ERA_YEARS = 400
_EPOCH_SHIFT_DAYS = 719_468
_SHOWN_BEFORE = 2
"""Links of a circle that JavaScript names before it leaves some out."""


class Circular(Exception):
    """The value contains itself, so it has no JSON form; the message is JavaScript's."""

    def __init__(self, circle: list[tuple[str, str]], member: str) -> None:
        (_, first), *inner = circle
        shown = [f"|     {each} -> object with constructor '{kind}'" for each, kind in inner]
        if len(shown) > _SHOWN_BEFORE + 1:
            shown = [*shown[:_SHOWN_BEFORE], "|     ...", shown[-1]]
        lines = [
            f"--> starting at object with constructor '{first}'",
            *shown,
            f"--- {member} closes the circle",
        ]
        super().__init__("\n    ".join(["Converting circular structure to JSON", *lines]))


def json_form(value: Value) -> Plain:
    """The value after a trip through JSON; `UNDEFINED_TREE` when nothing is left of it.

    Raises:
        Circular: It contains itself.
    """
    return _Writer(decode(value)).write()


def circle_in(value: Value) -> str | None:
    """What JavaScript says of a value that contains itself; None when it does not."""
    if '{"$":"ref",' not in value:
        return None
    try:
        json_form(value)
    except Circular as circle:
        return str(circle)
    return None


def has_bigint(value: Value) -> bool:
    """Whether JavaScript comes upon a BigInt where it writes a value without circles as JSON; it
    does not look into Maps and Sets."""
    if '{"$":"bigint",' not in value:
        return False
    writer = _Writer(decode(value))
    writer.write()
    return writer.has_bigint


class _Writer:
    """Writes one value; knows its objects by number, as references do."""

    def __init__(self, tree: Plain) -> None:
        self._tree = tree
        self._objects = list(_objects(tree))
        self._open: list[tuple[int, str, str]] = []
        self.has_bigint = False

    def write(self) -> Plain:
        """The JSON form of the whole value."""
        return self._form(self._tree, "")

    def _form(self, tree: Plain, member: str) -> Plain:
        if isinstance(tree, dict) and tree.get("$") == "ref":
            number = tree["to"]
            assert isinstance(number, int)
            return self._form(self._objects[number], member)
        if isinstance(tree, float) and tree != tree:  # noqa: PLR0124 - NaN
            return None
        if not isinstance(tree, list | dict):
            return tree
        at = next(index for index, each in enumerate((*self._objects, tree)) if each is tree)
        numbers = [number for number, _, _ in self._open]
        if at in numbers:
            circle = self._open[numbers.index(at) :]
            raise Circular([(name, kind) for _, name, kind in circle], member)
        self._open.append((at, member, "Array" if isinstance(tree, list) else "Object"))
        formed = self._list(tree) if isinstance(tree, list) else self._mapping(tree)
        self._open.pop()
        return formed

    def _list(self, items: list[Plain]) -> Plain:
        formed = [self._form(item, f"index {index}") for index, item in enumerate(items)]
        return [None if item == UNDEFINED_TREE else item for item in formed]

    def _mapping(self, tree: dict[str, Plain]) -> Plain:
        tag, of = tree.get("$"), tree.get("of")
        match tag:
            case None:
                return self._members(tree)
            case "undefined":
                return UNDEFINED_TREE
            case "number":
                return 0 if of == "-0" else None
            case "bigint":
                self.has_bigint = True
                return f"[BigInt({of})]"
            case "boxed":
                return self._form(of, "")
            case "date":
                return None if of is None else iso_date(_whole(of))
            case "bytes":
                assert isinstance(of, str)
                size = len(base64.b64decode(of))
                return {} if tree["as"] == "DataView" else f"[{tree['as']}({size} bytes)]"
            case "object":
                assert isinstance(of, list)
                return self._members({str(_pair(each)[0]): _pair(each)[1] for each in of})
            case "error":
                return self._members(of) if isinstance(of, dict) else {}
        return {}

    def _members(self, members: dict[str, Plain]) -> Plain:
        formed = {key: self._form(each, f"property '{key}'") for key, each in members.items()}
        return {key: each for key, each in formed.items() if each != UNDEFINED_TREE}


def _objects(tree: Plain) -> Iterator[Plain]:
    """All objects of a value in the order in which references number them."""
    if isinstance(tree, list):
        yield tree
        for item in tree:
            yield from _objects(item)
    elif isinstance(tree, dict):
        tag, of = tree.get("$"), tree.get("of")
        if tag in ("undefined", "number", "bigint", "ref"):
            return
        yield tree
        if tag is None:
            children = list(tree.values())
        elif tag in ("map", "object") and isinstance(of, list):
            children = [each for pair in of for each in _pair(pair)]
        elif tag == "set" and isinstance(of, list):
            children = of
        elif tag == "error" and isinstance(of, dict):
            children = list(of.values())
        else:
            children = []
        for child in children:
            yield from _objects(child)


def _pair(tree: Plain) -> list[Plain]:
    assert isinstance(tree, list)
    return tree


def _whole(tree: Plain) -> int:
    assert isinstance(tree, int | float)
    return int(tree)


def iso_date(epoch_ms: int) -> str:
    """A time as `Date.prototype.toISOString` writes it, for the years 0 to 9999."""
    days, in_day = divmod(epoch_ms, _DAY_MS)
    # Days since 0000-03-01, in eras of 400 years, so that a leap day ends its year.
    era, day = divmod(days + _EPOCH_SHIFT_DAYS, _ERA_DAYS)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    month = month + 3 if month < 10 else month - 9
    year += era * _ERA_YEARS + (1 if month <= 2 else 0)
    seconds, ms = divmod(in_day, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{year:04}-{month:02}-{day + 1:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
