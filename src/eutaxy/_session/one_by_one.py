"""Steps that run beside each other and share nothing: found, searched one by one, checked.

The graph that is searched is a part of the whole one, so what it finds is real. That nothing was
found counts only when the steps were seen to share nothing (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from eutaxy._base.code import UserCode
from eutaxy._base.scenario import RowsHold, Scenario, TraceHolds
from eutaxy._explore.path import first_path, walk
from eutaxy._explore.search import Found
from eutaxy._platform.step_ownership import step_of_choice
from eutaxy._platform.workflows.profile import Engine
from eutaxy._platform.workflows.step_order import StepsTangled
from eutaxy._session.model import Model
from eutaxy._session.step_watch import StepWatch
from eutaxy._world.apart import Order
from eutaxy._world.swaps import Dependent, Exchange, Heard, Remembered, Swaps
from eutaxy._world.world import Offer, Option


@dataclass(frozen=True, slots=True)
class SearchedOneByOne:
    """What a search that takes steps one by one has shown.

    Args:
        model: The graph that was searched.
        found: What was found.
        engine: The engine that takes steps one by one.
        tried: In how many other orders the ends of the steps were heard.
    """

    model: Model
    found: Found
    engine: Engine
    tried: int


class StepExchanges:
    """Offers everything, and notes what the steps of one instance do to all other components."""

    def __init__(self) -> None:
        self._swaps = Swaps()
        self._numbers: dict[tuple[str, str], int] = {}
        self._steps: list[tuple[str, str]] = []

    def offered(
        self, system: Remembered, offers: Sequence[tuple[int, Offer]]
    ) -> list[Option] | None:
        """Everything that is open."""
        return None

    def note(self, system: Remembered, exchange: Exchange) -> None:
        """Note what each component hears from a step."""
        slot, _, message = exchange[0]
        step = step_of_choice(system.address_of(slot), system.message_of(message))
        if step is None:
            return
        number = self._numbers.setdefault(step, len(self._numbers))
        if number == len(self._steps):
            self._steps.append(step)
        heard: dict[int, tuple[int, list[int]]] = {}
        for to, state, sent in exchange:
            if ":".join(system.address_of(to)) != step[0]:
                heard.setdefault(to, (state, []))[1].append(sent)
        for to, (state, messages) in heard.items():
            self._swaps.add(to, state, Heard(tuple(messages), number))

    def check(self, system: Remembered) -> None:
        """See that what different steps of one instance do commutes.

        Raises:
            Dependent: It does not.
        """

        def are_swapped(one: Heard, other: Heard) -> bool:
            is_same_instance = self._steps[one.group][0] == self._steps[other.group][0]
            return is_same_instance and one.group != other.group

        self._swaps.check(system, are_swapped)


def search_one_by_one(
    scenario: Scenario,
    engine: Engine,
    code: UserCode,
    make_model: Callable[[UserCode, Engine, Order | None], Model],
    search: Callable[[Model], Found],
) -> SearchedOneByOne | None:
    """Search a scenario taking steps that run beside each other one by one.

    Args:
        scenario: The declarations.
        engine: The Workflows engine.
        code: The user's code, over fibers.
        make_model: Gives a graph of worlds.
        search: Searches a graph.

    Returns:
        What was found; None when no steps run beside each other, or they turn out to depend on
        their order.
    """
    if not _may_go_one_by_one(scenario, engine):
        return None
    watch, exchanges = StepWatch(code), StepExchanges()
    ordered = replace(engine, one_by_one=True)
    try:
        plain = make_model(watch, engine, None)
        for _ in walk(plain, first_path(plain)):
            pass
        if not watch.has_seen_some:
            return None
        model = make_model(watch, ordered, exchanges)
        found = search(model)
        watch.check()
        exchanges.check(model)
    except (StepsTangled, Dependent):
        return None
    return SearchedOneByOne(model, found, ordered, watch.orders)


def _may_go_one_by_one(scenario: Scenario, engine: Engine) -> bool:
    """Whether a scenario is of the kind for which it is known to lose nothing.

    One invocation at a time, so that nothing else happens while steps go on; no optional faults,
    which strike in the middle of a moment; no invariant over every moment or over the trace; and
    an engine whose status does not show in which order steps ended.
    """
    return (
        scenario.bounds.max_concurrent == 1
        and not scenario.bounds.asked
        and not engine.profile.status_is_local
        and not any(
            isinstance(each, TraceHolds) or (isinstance(each, RowsHold) and each.is_always)
            for each in scenario.invariants
        )
    )


def plain_path(model: Model, plain: Model, path: Sequence[int]) -> tuple[int, ...]:
    """The same path in the graph that offers every choice.

    Args:
        model: The graph that the path is of.
        plain: The graph that offers more.
        path: Indexes of choices.
    """
    world, twin = model.initial, plain.initial
    indexes: list[int] = []
    for number in path:
        option = model.choices(world)[number]
        text = model.describe(option)
        choices = plain.choices(twin)
        index = next(at for at, each in enumerate(choices) if plain.describe(each) == text)
        indexes.append(index)
        world, twin = model.step(world, option), plain.step(twin, choices[index])
    return tuple(indexes)
