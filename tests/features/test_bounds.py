"""Limits of single kinds of faults tell programs apart, and cut off exactly what they name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from eutaxy._base.fault import Fault
from eutaxy._base.note import Note
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import VerdictKind
from eutaxy._session.model import Model
from eutaxy._session.options import CheckOptions, with_options
from eutaxy.testing import Failed, step
from tests.features.feature import (
    ONCE,
    Feature,
    Programs,
    answer,
    assert_told_apart,
    check,
    checker_of,
    create,
    http,
    post,
    scenario,
    worker,
)
from tests.unit.platform.lab import FLOW, retries

Limits = tuple[tuple[str, int], ...]


def paying() -> Programs:
    """Pays again when the call failed."""

    def handle(_: Any) -> Any:
        try:
            yield post()
        except Failed:
            yield post()

    return worker(handle)


def in_steps() -> Programs:
    """A Workflow of one step that pays with a key."""

    def pay(_: Any) -> Any:
        yield post(key="k")

    def flow(_: Any) -> Any:
        yield step("pay", pay, retries(1, 0))

    return worker(answer, flow=flow)


def of_request(limits: Limits) -> Scenario:
    """One request."""
    return scenario(
        http("req-1"), invariants=(ONCE,), without=("unkeyed-repeat",), faults_max=limits
    )


def of_instance(limits: Limits) -> Scenario:
    """One instance, which may fail."""
    return scenario(create(), invariants=(ONCE,), faults_max=limits, may_fail=True)


FEATURES = {
    "a single kind": Feature(
        planted=paying(),
        scenario=of_request((("answer_lost", 1),)),
        fixed_scenario=of_request((("answer_lost", 0),)),
        invariant="once",
        witnesses=(
            (
                ("answer_lost at req-1 effect #1 (Fetch:bank POST)",),
                'Fetch:bank POST happened twice for key "o-1" (seq 2 and 4)',
            ),
        ),
    ),
    "all crashes together": Feature(
        planted=paying(),
        scenario=replace(
            of_request((("answer_lost", 0),)),
            drive=(http("req-1", is_repeated=True),),
        ),
        fixed_scenario=replace(
            of_request((("answer_lost", 0), ("crash", 0))),
            drive=(http("req-1", is_repeated=True),),
        ),
        invariant="once",
        witnesses=tuple(
            (
                (f"{fault} at req-1 effect #1 (Fetch:bank POST)",),
                f'Fetch:bank POST happened twice for key "o-1" (seq {seq} and 6)',
            )
            for fault, seq in (("crash_after", 2), ("crash_in_flight", 3))
        ),
    ),
}


@pytest.mark.parametrize("feature", FEATURES.values(), ids=list(FEATURES))
def test_it_tells_them_apart(feature: Feature) -> None:
    assert_told_apart(feature)


# -- exactly what is named --------------------------------------------------------------------


def is_inside(struck: Counter[str], limits: Limits) -> bool:
    """Whether a schedule with these faults respects the limits."""
    crashes = sum(count for name, count in struck.items() if name.startswith("crash_"))
    return all((crashes if name == "crash" else struck[name]) <= most for name, most in limits)


def counted(model: Model, faults_max: int, limits: Limits) -> tuple[int, ...]:
    """Schedules by number of faults: each one walked, and those outside of the limits dropped."""
    counts = [0] * (faults_max + 1)
    stack: list[tuple[Any, tuple[str, ...]]] = [(model.initial, ())]
    while stack:
        world, struck = stack.pop()
        options = [] if model.is_bad(world) else model.choices(world)
        if all(option.faults or option.redeliveries for option in options):
            counts[len(struck)] += is_inside(Counter(struck), limits)
        for option in options:
            explained = model.explain(world, option)
            after = struck if explained.fault is None else (*struck, explained.fault.value)
            if len(after) <= faults_max and not option.redeliveries:
                stack.append((explained.world, after))
    return tuple(counts)


LIMITS: dict[str, Limits] = {
    "no crashes": (("crash", 0),),
    "one crash": (("crash", 1),),
    "one crash, of another kind none": (("crash", 1), ("crash_after", 0)),
    "two crashes, one of each kind": (("crash", 2), ("crash_after", 1), ("crash_before", 1)),
    "one lost answer": (("answer_lost", 1), ("answer_late", 0)),
    "only lost answers": tuple((f.value, 0) for f in Fault if f is not Fault.ANSWER_LOST),
    "nothing": tuple((f.value, 0) for f in Fault),
}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=list(LIMITS))
@pytest.mark.parametrize(
    ("programs", "make"),
    [(paying(), of_request), (in_steps(), of_instance)],
    ids=["request", "instance"],
)
def test_the_schedules_are_those_of_all_that_respect_the_limits(
    programs: Programs, make: Any, limits: Limits
) -> None:
    faults = 2
    limited: Scenario = replace(make(limits), invariants=())
    limited = replace(limited, bounds=replace(limited.bounds, max_faults=faults))
    verdict = check(programs, limited)
    assert verdict.kind is VerdictKind.BOUNDED
    assert verdict.coverage.is_whole
    free = replace(limited, bounds=replace(limited.bounds, faults_max=()))
    model = checker_of(programs, free).model()
    assert verdict.coverage.schedules == counted(model, faults, limits)


def test_options_of_the_command_leave_the_limits_as_they_are() -> None:
    given = of_request((("crash", 0),))
    asked = with_options(given, CheckOptions(max_faults=3))
    assert asked.bounds.faults_max == (("crash", 0),)
    assert asked.bounds.max_faults == 3


# -- single places ----------------------------------------------------------------------------

Places = tuple[tuple[str, str, int], ...]


def place_of(struck: str, *, is_request: bool) -> str:
    """Where the fault of a step struck, by what the trace says of it."""
    if struck:
        return struck.partition(":")[2].partition(" ")[0]
    return "" if is_request else FLOW


def counted_at(model: Model, faults_max: int, limits: Places) -> tuple[int, ...]:
    """As `counted`, with limits of places."""

    def is_allowed(all_struck: tuple[tuple[str, str], ...]) -> bool:
        return all(
            sum(
                place == at and (kind in (name, "any") or (kind == "crash" and "crash_" in name))
                for at, name in all_struck
            )
            <= most
            for place, kind, most in limits
        )

    counts = [0] * (faults_max + 1)
    stack: list[tuple[Any, tuple[tuple[str, str], ...]]] = [(model.initial, ())]
    while stack:
        world, struck = stack.pop()
        options = [] if model.is_bad(world) else model.choices(world)
        if all(option.faults or option.redeliveries for option in options):
            counts[len(struck)] += is_allowed(struck)
        for option in options:
            explained = model.explain(world, option)
            after = struck
            for note in explained.notes:
                if isinstance(note, Note) and note.fault is not None:
                    is_request = model.owner(option)[0] == "request"
                    after = (
                        *struck,
                        (place_of(note.struck, is_request=is_request), note.fault.value),
                    )
            if len(after) <= faults_max and not option.redeliveries:
                stack.append((explained.world, after))
    return tuple(counts)


PLACES: dict[str, Places] = {
    "nothing at the service": (("bank", "any", 0),),
    "one fault at the service": (("bank", "any", 1),),
    "no crash at the service": (("bank", "crash", 0),),
    "one lost answer at the service": (("bank", "answer_lost", 1), ("bank", "answer_late", 0)),
    "nothing at the binding": ((FLOW, "any", 0),),
    "no crash at the binding": ((FLOW, "crash", 0),),
    "nothing anywhere": ((FLOW, "any", 0), ("bank", "any", 0)),
}


@pytest.mark.parametrize("limits", PLACES.values(), ids=list(PLACES))
@pytest.mark.parametrize(
    ("programs", "make"),
    [(paying(), of_request), (in_steps(), of_instance)],
    ids=["request", "instance"],
)
def test_limits_of_places_cut_off_exactly_what_strikes_there(
    programs: Programs, make: Any, limits: Places
) -> None:
    given = replace(make(()), invariants=())
    bounds = replace(given.bounds, max_faults=2, faults_at=limits)
    verdict = check(programs, replace(given, bounds=bounds))
    assert verdict.kind is VerdictKind.BOUNDED
    free = replace(given, bounds=replace(bounds, faults_at=()))
    model = checker_of(programs, free).model()
    assert verdict.coverage.schedules == counted_at(model, 2, limits)
    if make is of_instance or limits[0][0] == "bank":
        assert sum(verdict.coverage.schedules) < sum(counted_at(model, 2, ()))
