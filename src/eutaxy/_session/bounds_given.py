"""Reading the bounds of a scenario, and how many of each fault they allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eutaxy._base.bounds import ANY_FAULT, BUDGET_MAX_MS, COUNT_MAX, Bounds
from eutaxy._base.fault import Fault
from eutaxy._base.value import Plain
from eutaxy._session.declared import Members, alternatives, call, near_miss, plain_object
from eutaxy._session.source import Source

_CRASH = "crash"
_CRASHES = tuple(each.value for each in Fault if each.value.startswith("crash_"))
FAULT_NAMES = (_CRASH, *(each.value for each in Fault))
"""What `faults` of the bounds may name: each fault, and all crashes together."""


def read_bounds(
    source: Source, outer: Members, places: Sequence[str], *, has_next_class: bool = False
) -> Bounds:
    """The bounds, with defaults for what is left out.

    Args:
        source: The scenario file.
        outer: Members of the scenario.
        places: Names of the externals and bindings of the scenario.
        has_next_class: Whether a Workflow has a class that a deploy brings.
    """
    tree = outer.optional("bounds")
    if tree is None:
        return Bounds()
    if isinstance(tree, dict) and tree.get("$eutaxy") == "bounds":
        _, members = call(source, tree, ["bounds"], where="`bounds`", place=outer.place)
    else:
        members = plain_object(source, tree, "`bounds`", outer.place)
    default = Bounds()
    max_faults = members.whole(
        "maxFaultsPerRun", least=0, most=COUNT_MAX, default=default.max_faults
    )
    bounds = Bounds(
        max_faults=max_faults,
        max_redeliveries=members.whole(
            "maxRedeliveries", least=0, most=COUNT_MAX, default=default.max_redeliveries
        ),
        max_concurrent=members.whole(
            "maxConcurrentInvocations", least=1, most=COUNT_MAX, default=default.max_concurrent
        ),
        budget_ms=members.whole("budgetMs", least=1, most=BUDGET_MAX_MS, default=default.budget_ms),
        faults_max=_faults_max(source, members, max_faults),
        faults_at=_faults_at(source, members, places),
    )
    if Fault.DEPLOYED in bounds.asked and not has_next_class:
        option = source.spell("nextClass")
        raise members.wrong(
            f"`faults` names {Fault.DEPLOYED.value}, but no Workflow of `setup` has `{option}`",
            f"name the class of the new version with `{option}`, or leave the fault out",
            word=Fault.DEPLOYED.value,
        )
    members.finish()
    return bounds


def _faults_max(source: Source, members: Members, max_faults: int) -> tuple[tuple[str, int], ...]:
    given = members.optional("faults")
    if given is None:
        return ()
    wanted = "an object from names of faults to numbers"
    if not isinstance(given, dict) or "$eutaxy" in given:
        raise members.mistyped("faults", given, wanted)
    counts = _counts(source, members, "faults", given)
    for written, count in given.items():
        if isinstance(count, int) and count > max_faults:
            faults = source.spell("maxFaultsPerRun")
            raise members.wrong(
                f"`faults` allows {written} {count} times, but `{faults}` is {max_faults}",
                f"raise `{faults}`, or lower the number",
                word=written,
            )
    _check_crashes(members, counts)
    return tuple(counts.items())


def _counts(
    source: Source, members: Members, where: str, given: Mapping[str, Plain]
) -> dict[str, int]:
    """Numbers by the names of faults."""
    named = {fault.replace("_", ""): fault for fault in FAULT_NAMES}
    counts: dict[str, int] = {}
    for written, count in given.items():
        fault = named.get(written.replace("_", "").lower())
        if fault is None:
            known = [source.spell(_camel(each)) for each in FAULT_NAMES]
            raise members.wrong(
                f'`{where}` has "{written}"{near_miss(written, known)}',
                f"name a fault: {alternatives(known)}",
                word=written,
            )
        if fault in counts:
            raise members.wrong(f"`{where}` has {fault} twice", "keep one", word=written)
        counts[fault] = _count(members, written, count)
    return counts


def _count(members: Members, written: str, count: Plain) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise members.mistyped(written, count, "a whole number from 0")
    return count


def _faults_at(
    source: Source, members: Members, places: Sequence[str]
) -> tuple[tuple[str, str, int], ...]:
    """Limits of single externals and bindings: of all faults there, or of some kinds."""
    given = members.optional("faultsAt")
    if given is None:
        return ()
    where = source.spell("faultsAt")
    if not isinstance(given, dict) or "$eutaxy" in given:
        wanted = "an object from names of externals or bindings to numbers, or to such objects"
        raise members.mistyped("faultsAt", given, wanted)
    limits: list[tuple[str, str, int]] = []
    for place, told in given.items():
        if place not in places:
            raise members.wrong(
                f'`{where}` has "{place}"{near_miss(place, places)}',
                f"name an external or a binding of the scenario: {alternatives(places)}",
                word=place,
            )
        if isinstance(told, dict):
            counts = _counts(source, members, where, told)
            _check_crashes(members, counts)
            limits += [(place, fault, count) for fault, count in counts.items()]
        else:
            limits.append((place, ANY_FAULT, _count(members, place, told)))
    return tuple(limits)


def _check_crashes(members: Members, counts: dict[str, int]) -> None:
    for crash in _CRASHES:
        if counts.get(crash, 0) > counts.get(_CRASH, counts.get(crash, 0)):
            raise members.wrong(
                f"`faults` allows {counts[_CRASH]} crashes in all, but {counts[crash]} {crash}",
                f"raise `{_CRASH}`, or lower the number",
                word="faults",
            )


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.title() for each in rest)
