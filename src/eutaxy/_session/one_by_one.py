"""Steps that run beside each other and share nothing: found, searched one by one, checked.

The graph that is searched is a part of the whole one, so what it finds is real. That nothing was
found counts only when the steps were seen to share nothing (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from eutaxy._base.code import UserCode
from eutaxy._base.note import Match
from eutaxy._base.scenario import RowsHold, Scenario, TraceHolds
from eutaxy._base.value import Value
from eutaxy._explore.path import first_path, walk
from eutaxy._explore.search import Found
from eutaxy._platform.requests.driver import DRIVER
from eutaxy._platform.step_ownership import Party, party_of_choice
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


SWAPS_MAX = 5_000
"""Most swaps that are checked between steps: their parties are many, and so are the orders."""


class StepExchanges:
    """Offers everything, and notes what each party does to all components but its own."""

    def __init__(self) -> None:
        self._swaps = Swaps(SWAPS_MAX)
        self._parties: dict[Party, int] = {}
        self._marks: dict[tuple[str, Value], dict[int, None]] = {}

    def offered(
        self, system: Remembered, offers: Sequence[tuple[int, Offer]]
    ) -> list[Option] | None:
        """Everything that is open."""
        return None

    def note(self, system: Remembered, exchange: Exchange) -> None:
        """Note what each component hears from a party, and which keys of invariants it marks."""
        slot, _, message = exchange[0]
        party = party_of_choice(system.address_of(slot), system.message_of(message))
        if party is None:
            return
        number = self._parties.setdefault(party, len(self._parties))
        heard: dict[int, tuple[int, list[int]]] = {}
        for to, state, sent in exchange:
            address = system.address_of(to)
            if address != DRIVER and ":".join(address) != party[0]:
                heard.setdefault(to, (state, []))[1].append(sent)
            for told in system.transition(to, state, sent)[2]:
                if isinstance(told, Match):
                    self._marks.setdefault((told.invariant, told.key), {})[number] = None
        for to, (state, messages) in heard.items():
            self._swaps.add(to, state, Heard(tuple(messages), number))

    def check(self, system: Remembered, beside: Iterable[tuple[str, str]]) -> None:
        """See that steps which run beside each other have nothing to do with each other.

        They have when what they do does not commute, when both mark one key of an invariant, or
        when a third party has to do with both.

        Args:
            system: The graph that was searched.
            beside: Pairs of names of steps.

        Raises:
            StepsTangled: They have.
            Dependent: There is too much to see it.
        """
        leaders = list(range(len(self._parties)))

        def leader_of(party: int) -> int:
            while leaders[party] != party:
                party = leaders[party]
            return party

        def are_swapped(one: Heard, other: Heard) -> bool:
            return leader_of(one.group) != leader_of(other.group)

        for marking in self._marks.values():
            first, *others = marking
            for other in others:
                leaders[leader_of(other)] = leader_of(first)
        for one, other in self._swaps.dependent(system, are_swapped):
            leaders[leader_of(other)] = leader_of(one)
        pairs = set(beside)
        parties = list(self._parties)
        for number, (activation, step) in enumerate(parties):
            for before, (its, earlier) in enumerate(parties[:number]):
                names = (earlier.rpartition(":")[0], step.rpartition(":")[0])
                is_beside = its == activation and (names in pairs or names[::-1] in pairs)
                if is_beside and leader_of(number) == leader_of(before):
                    raise StepsTangled("what they do does not commute, or marks one key")


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
        exchanges.check(model, watch.beside)
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
