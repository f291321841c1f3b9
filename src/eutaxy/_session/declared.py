"""Reading what a scenario declares, member by member, with errors that name the user's line.

Both languages arrive in one form, the names being those of TypeScript; messages use the names of
the language that the user wrote in.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eutaxy._session.source import Source
from eutaxy.errors import ScenarioError

_ARGUMENTS = {
    "always": 3,
    "atLeastOncePerKey": 4,
    "atMostOncePerKey": 3,
    "bindingCall": 3,
    "call": 3,
    "concurrently": 2,
    "createInstance": 2,
    "eventually": 3,
    "exactlyOncePerKey": 4,
    "external": 3,
    "fetchCall": 3,
    "fireSchedule": 3,
    "http": 1,
    "implies": 3,
    "never": 2,
    "notBoth": 3,
    "ordered": 3,
    "passTime": 1,
    "response": 2,
    "scenario": 1,
    "sendEvent": 3,
    "statusChange": 3,
    "stepResult": 3,
    "sumEquals": 4,
    "traceHolds": 2,
    "unique": 3,
    "workflow": 3,
    "workflowRows": 1,
}
"""How many arguments each function takes in TypeScript, where surplus ones are no error."""


class Members:
    """The members of one declared object; each is asked for once, and the rest are unknown.

    Args:
        source: The scenario file.
        tree: The object.
        what: How messages call it ('external "payouts"').
        place: Where it was written, or the nearest place before it that is known.
        is_literal: The user wrote it as an object (a dict in Python), so that its names are
            those of the user's language.
    """

    def __init__(
        self,
        source: Source,
        tree: Mapping[str, Any],
        what: str,
        place: str,
        *,
        is_literal: bool = False,
    ) -> None:
        self.source = source
        self.what = what
        self.place = place
        self._is_literal = is_literal
        self._tree = {key: value for key, value in tree.items() if value is not None}
        self._known: list[str] = []

    def shown_place(self, word: str = "") -> str:
        """Where this object is, or `word` in it, as shown."""
        return self.source.shown_place(self.place, word)

    def wrong(self, found: str, remedy: str, *, word: str = "") -> ScenarioError:
        """The error about this object, or about `word` in it."""
        return self.source.wrong(f"{self.what}: {found}", remedy, place=self.place, word=word)

    def has(self, name: str) -> bool:
        """Whether the user gave this member."""
        return self._key(name) in self._tree

    def raw(self, name: str, wanted: str) -> Any:  # noqa: ANN401 - JSON, not yet checked
        """A member that must be there, of any type."""
        self._known.append(name)
        key = self._key(name)
        if key not in self._tree:
            shown = self.source.spell(name)
            self._refuse_unknown(also=shown)
            raise self.wrong(f"`{shown}` is missing", f"add `{shown}`: {wanted}")
        return self._tree[key]

    def optional(self, name: str) -> Any:  # noqa: ANN401 - JSON, not yet checked
        """A member of any type; None when it is absent."""
        self._known.append(name)
        return self._tree.get(self._key(name))

    def text(self, name: str, wanted: str = "a text") -> str:
        """A text that must be there and has at least one character, all on one line."""
        value = self.raw(name, wanted)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise self.mistyped(name, value, wanted)
        return value

    def optional_text(self, name: str, wanted: str) -> str | None:
        """A text as in `text`; None when it is absent."""
        return self.text(name, wanted) if self.has(name) else self.optional(name)

    def whole(self, name: str, *, least: int, default: int, most: int | None = None) -> int:
        """A whole number within limits."""
        value = self.optional(name)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or value < least or (most is not None and value > most):
            limits = f"from {least}" if most is None else f"from {least} to {most}"
            raise self.mistyped(name, value, f"a whole number {limits}")
        number: int = value
        return number

    def flag(self, name: str) -> bool:
        """Whether a switch is on; it is off when it is absent."""
        value = self.optional(name)
        if value is not None and not isinstance(value, bool):
            raise self.mistyped(name, value, "true or false")
        return value is True

    def items(self, name: str, wanted: str, *, is_needed: bool = False) -> list[Any]:
        """A list; empty when it is absent and not needed."""
        value = self.raw(name, wanted) if is_needed or self.has(name) else self.optional(name)
        if value is not None and not isinstance(value, list):
            raise self.mistyped(name, value, wanted)
        return value or []

    def mistyped(self, name: str, value: object, wanted: str) -> ScenarioError:
        """The error about a member of the wrong type."""
        shown = self.source.spell(name)
        found = f"`{shown}` is {describe(value, self.source)}, but must be {wanted}"
        return self.wrong(found, f"make `{shown}` {wanted}", word=shown)

    def finish(self) -> None:
        """Refuse members that nobody asked for."""
        self._refuse_unknown()

    def _refuse_unknown(self, also: str = "") -> None:
        for name in self._tree:
            if name in {"$eutaxy", "place", "surplus"} or name in map(self._key, self._known):
                continue
            known = [self.source.spell(each) for each in self._known]
            hint = near_miss(name, [also] if also else known)
            if also and not hint:
                continue
            remedy = f"remove it, or use one of: {', '.join(known)}"
            raise self.wrong(f"there is no member `{name}`{hint}", remedy, word=name)

    def _key(self, name: str) -> str:
        return self.source.spell(name) if self._is_literal else name


def call(
    source: Source, value: object, kinds: Iterable[str], *, where: str, place: str
) -> tuple[str, Members]:
    """A call of one of the functions of the scenario API, checked to be one.

    Args:
        source: The scenario file.
        value: What stands where the call should.
        kinds: The declarations that may stand there.
        where: How messages call that place ("`setup`").
        place: The nearest place that is known.

    Returns:
        Its kind and its members.
    """
    kinds = tuple(kinds)
    tree = value if isinstance(value, dict) else {}
    kind = tree.get("$eutaxy")
    if kind not in kinds:
        wanted = " or ".join(f"{source.function(each)}(...)" for each in kinds)
        raise source.wrong(
            f"{where} has {describe(value, source)}, but takes {wanted}",
            f"write {wanted} there",
            place=tree.get("place") or place,
        )
    members = Members(source, tree, f"{source.function(kind)}()", tree.get("place") or place)
    surplus = tree.get("surplus", 0)
    if surplus:
        most = _ARGUMENTS[kind]
        raise members.wrong(
            f"it takes {most} argument{'s' * (most > 1)}, but got {most + surplus}",
            "remove the arguments that are too many",
        )
    return kind, members


def plain_object(
    source: Source,
    value: object,
    what: str,
    place: str,
    *,
    wanted: str = "an object",
    is_literal: bool = True,
) -> Members:
    """An object, checked to be one; `is_literal` as in `Members`."""
    if not isinstance(value, dict) or "$eutaxy" in value:
        raise source.wrong(
            f"{what} is {describe(value, source)}, but must be {wanted}",
            f"make it {wanted}",
            place=place,
        )
    return Members(source, value, what, place, is_literal=is_literal)


def read_options(
    source: Source, outer: Members, name: str = "options", *, is_needed: bool = False
) -> Members:
    """The options of a call of the scenario API; none are given when they are absent."""
    given = outer.raw(name, "an object") if is_needed else outer.optional(name)
    tree = {} if given is None else given
    what = f"the options of {outer.what}"
    options = plain_object(source, tree, what, outer.place, is_literal=False)
    options.what = outer.what
    return options


def describe(value: object, source: Source) -> str:
    """A value in a few words, for messages."""
    if isinstance(value, dict):
        kind = value.get("$eutaxy")
        if kind == "odd":
            return str(value["what"])
        if kind == "function":
            return "a function"
        return "an object" if kind is None else f"what {source.function(str(kind))}() returns"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return f"the boolean {value if source.is_python else str(value).lower()}"
    if isinstance(value, str):
        return f'the text "{value}"'
    return "nothing" if value is None else f"the number {value}"


def near_miss(name: str, known: Iterable[str]) -> str:
    """A question to add to a message: the known name that was probably meant."""
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""


def alternatives(known: Iterable[str]) -> str:
    """The names that there are, for messages."""
    return ", ".join(sorted(known)) or "none"


def first_twice(names: Iterable[str]) -> str | None:
    """The first name that comes a second time."""
    seen: set[str] = set()
    return next(_repeated(names, seen), None)


def _repeated(names: Iterable[str], seen: set[str]) -> Iterator[str]:
    for name in names:
        if name in seen:
            yield name
        seen.add(name)
