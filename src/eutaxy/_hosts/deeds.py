"""What code did in an evaluation, to be compared with what another evaluation of it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eutaxy._base.display import BRIEF, FULL, Limits, display
from eutaxy._base.value import Value
from eutaxy.errors import UnfaithfulError


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that code did.

    Args:
        fiber: Which fiber.
        what: What it did, in words.
        value: With which value.
        place: Where; no part of what is compared.
    """

    fiber: int
    what: str
    value: Value | None = None
    place: str = field(default="", compare=False)

    def shown(self, limits: Limits) -> str:
        """In words, with the value."""
        if self.value is None:
            return self.what
        return f"{self.what} {display(self.value, limits=limits)}"


_NOTHING = Deed(0, "nothing more")


def did(told: Mapping[str, Any]) -> list[Deed]:
    """Everything that code did, in order."""
    deeds: list[Deed] = []
    for part in told["reactions"]:
        fiber = part["fiber"]
        deeds += [
            Deed(
                fiber,
                f"{each['name']} {each['operation']}",
                Value(each["args"]),
                each.get("place", ""),
            )
            for each in part.get("effects", ())
        ]
        deeds += [
            Deed(fiber, f"a cancelled timer ({ordinal})") for ordinal in part.get("cancelled", ())
        ]
        deeds += [
            Deed(fiber, key, Value(part[key]), part.get("place", ""))
            for key in ("returned", "threw")
            if key in part
        ]
        deeds += [Deed(fiber, "open waitUntil work")] if part.get("held") else []
    return deeds


def unfaithful(
    program: str, before: Sequence[Deed], after: Sequence[Deed], *, warm: bool
) -> UnfaithfulError:
    """The error for two evaluations, of which the second was in a `warm` isolate or a new one."""
    at = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    was = before[at] if at < len(before) else _NOTHING
    now = after[at] if at < len(after) else _NOTHING
    # What is usually left out may be all that differs.
    limits = BRIEF if was.shown(BRIEF) != now.shown(BRIEF) else FULL
    where = ", in an isolate that had served before" if warm else ""
    return UnfaithfulError(
        f"evaluating {program} a second time with the same answers",
        f"the code answered differently{where}: first {was.shown(limits)}, "
        f"then {now.shown(limits)}",
        "look for state that outlives an invocation (module-level variables, caches), for the "
        "order of a set of Python, or for another input that the platform does not control; pass "
        "it in, sort it, or keep it in a step",
        place=was.place or now.place,
    )
