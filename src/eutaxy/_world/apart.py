"""Groups of components that share nothing, whose moments need not be interleaved.

Theory: two activations that share no state can take their steps in any order and end in the same
world, so one order stands for all (a partial-order reduction). While activations of several groups
are under way at the same moment, only one group's choices are offered; the others wait, which takes
no time. What is never withheld is what they have in common: the order in which the driver's events
begin, and whatever is open only while something else is under way. When nothing is under way, every
choice is offered, so all orders of what takes time remain. Withholding could keep two events of one
group from overlapping when events of another stand between them; hence the group of the next event
goes first, and a group that waits takes up nobody's slot.

That groups share nothing is not believed but checked, with every transition that the search takes:
a choice of one group must not touch a component that belongs to another, and at components that
serve all (services, monitors, the driver, the calls in flight) the messages of two groups must
commute: same state, same answers in either order. The check goes on from each state that a swap
leads to, so it covers the orders that were left out. When it fails, nothing that the search has
seen is of use, and the two groups are one.

Source:
    Persistent sets and the swap argument: P. Godefroid, Partial-Order Methods for the Verification
    of Concurrent Systems, LNCS 1032, chapters 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from eutaxy._world.component import Address
from eutaxy._world.swaps import Dependent, Exchange, Heard, Remembered, Swaps
from eutaxy._world.world import Offer, Option


class Order(Protocol):
    """Decides which choices a system offers, and hears what they touch."""

    def offered(
        self, system: Remembered, offers: Sequence[tuple[int, Offer]]
    ) -> list[Option] | None:
        """The choices to offer; None for all that are open."""
        ...

    def note(self, system: Remembered, exchange: Exchange) -> None:
        """Hear what a choice touched."""
        ...


@dataclass(frozen=True, slots=True)
class Ownership:
    """How to tell whose a component or a message is.

    Args:
        of_address: The activation that a component belongs to; None for one that serves all.
        of_choice: The activation that a choice of a component that serves all belongs to.
        is_delivery: Whether a choice begins an event of the driver; their order is never changed.
    """

    of_address: Callable[[Address], str | None]
    of_choice: Callable[[Hashable], str | None]
    is_delivery: Callable[[Hashable], bool]


class Grouping:
    """Learns from a run which activations touch one another.

    Args:
        ownership: Tells whose a component or a message is.
    """

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership
        self._leader: dict[str, str] = {}

    def offered(
        self, system: Remembered, offers: Sequence[tuple[int, Offer]]
    ) -> list[Option] | None:
        """Everything is offered."""
        return None

    def note(self, system: Remembered, exchange: Exchange) -> None:
        """Take note of who touched whom."""
        activations = [self._ownership.of_choice(system.message_of(exchange[0][2]))]
        activations += [self._ownership.of_address(system.address_of(to)) for to, _, _ in exchange]
        known = [each for each in activations if each is not None]
        for each in known:
            self.unite(known[0], each)

    def unite(self, one: str, other: str) -> None:
        """Put two activations, and all that belong to them, into one group."""
        self._leader[self._leader_of(other)] = self._leader_of(one)

    def groups(self) -> dict[str, int]:
        """The group of each activation, numbered in the order in which they were met."""
        numbers: dict[str, int] = {}
        return {
            each: numbers.setdefault(self._leader_of(each), len(numbers)) for each in self._leader
        }

    def _leader_of(self, activation: str) -> str:
        leader = self._leader.setdefault(activation, activation)
        while self._leader[leader] != leader:
            leader = self._leader[leader]
        return leader


_NOBODY = -1
"""The group of what serves all."""


@dataclass(frozen=True, slots=True)
class _Share:
    """An offer by groups.

    Args:
        offer: The offer.
        group: Whose it is; `_NOBODY` for a component that serves all.
        is_live: Whether its group has something to do that takes no time.
        starts: Choices of the gate START, with their group, and whether they deliver an event.
        overlaps: Choices of the gate OVERLAP, with their group.
        free: Choices of the gate FREE by group.
        again: Choices of the gate AGAIN by group.
        delivered_to: Groups of the driver's next events.
    """

    offer: Offer
    group: int
    is_live: bool
    starts: list[tuple[Option, int, bool]]
    overlaps: list[tuple[Option, int]]
    free: dict[int, list[Option]]
    again: dict[int, list[Option]]
    delivered_to: list[int]


class Apart:
    """The groups of one system.

    Args:
        ownership: Tells whose a component or a message is.
        groups: The group of each activation that is known in advance. Others join the group that
            first touches them.
        slots_max: Most invocations of user code of one group under way at once.
    """

    def __init__(self, ownership: Ownership, groups: dict[str, int], slots_max: int) -> None:
        self._ownership = ownership
        self._groups = dict(groups)
        self._slots_max = slots_max
        self._heard = Swaps()
        self._shares: dict[Offer, _Share] = {}

    # -- what is offered ------------------------------------------------------------------------

    def offered(
        self, system: Remembered, offers: Sequence[tuple[int, Offer]]
    ) -> list[Option] | None:
        """The choices of the group whose turn it is; None when all are to be offered.

        Args:
            system: The system.
            offers: What each existing component offers, by address order, with its slot.
        """
        shares = [
            self._shares.get(offer) or self._share(system, slot, offer) for slot, offer in offers
        ]
        live: dict[int, int] = {}
        next_groups: list[int] = []
        for share in shares:
            if share.is_live:
                live[share.group] = live.get(share.group, 0) + share.offer.is_running
            next_groups += share.delivered_to
        if not live:
            return None
        for group in dict.fromkeys((*next_groups, *sorted(live))):
            if group in live:
                options = self._of_group(shares, live[group], group)
                if any(not option[2] | option[3] for option in options):
                    return options
        return None

    def _of_group(self, shares: Sequence[_Share], running: int, group: int) -> list[Option]:
        """The choices of one group, with those that must not wait."""
        options: list[Option] = []
        late: list[Option] = []
        has_slot = running < self._slots_max
        is_any_running = False
        for share in shares:
            offer = share.offer
            if offer.is_running:
                is_any_running = True
                if share.group == group:
                    options += offer.step
                    options += offer.start
            else:
                for option, own, is_delivery in share.starts:
                    if has_slot if own == group else is_delivery:
                        late.append(option)
            late += share.free.get(group, ())
            if has_slot and not offer.is_running:
                late += share.again.get(group, ())
        if is_any_running:
            # A group that waits takes up no slot.
            late += [
                option
                for share in shares
                for option, own in share.overlaps
                if own != group or has_slot
            ]
        return options + late

    def _share(self, system: Remembered, slot: int, offer: Offer) -> _Share:
        """An offer by groups; remembered once it is known whose it is."""
        activation = self._ownership.of_address(system.address_of(slot))
        owner = _NOBODY if activation is None else self._groups[activation]

        def whose(option: Option) -> int:
            return self._of_choice(system, option) if owner == _NOBODY else owner

        def by_group(options: Iterable[Option]) -> dict[int, list[Option]]:
            groups: dict[int, list[Option]] = {}
            for option in options:
                groups.setdefault(whose(option), []).append(option)
            return groups

        def is_delivery(option: Option) -> bool:
            return self._ownership.is_delivery(system.message_of(option.message))

        share = _Share(
            offer=offer,
            group=owner,
            is_live=owner != _NOBODY and (offer.is_running or offer.timer == 0),
            starts=[(each, whose(each), is_delivery(each)) for each in offer.start],
            overlaps=[(each, whose(each)) for each in offer.overlap if not offer.is_running],
            free=by_group(offer.free),
            again=by_group(offer.again),
            delivered_to=[
                whose(each) for each in (*offer.start, *offer.overlap) if is_delivery(each)
            ],
        )
        self._shares[offer] = share
        return share

    def _of_choice(self, system: Remembered, option: Option) -> int:
        """The group of a choice; `_NOBODY` when nobody is known to have it."""
        activation = self._ownership.of_address(system.address_of(option.slot))
        activation = activation or self._ownership.of_choice(system.message_of(option.message))
        return _NOBODY if activation is None else self._groups[activation]

    # -- what is checked ------------------------------------------------------------------------

    def note(self, system: Remembered, exchange: Exchange) -> None:
        """Take note of what a choice touched.

        Raises:
            Dependent: It touched a component of another group.
        """
        slot, _, message = exchange[0]
        group = self._of_choice(system, Option(slot, message, 0, 0))
        if group == _NOBODY:
            raise Dependent(None)
        is_delivery = self._ownership.is_delivery(system.message_of(message))
        heard: dict[int, tuple[int, list[int]]] = {}
        for to, state, sent in exchange:
            activation = self._ownership.of_address(system.address_of(to))
            if activation is None:
                heard.setdefault(to, (state, []))[1].append(sent)
            else:
                owner = self._groups.setdefault(activation, group)
                if owner != group:
                    raise Dependent((min(owner, group), max(owner, group)))
        for to, (state, messages) in heard.items():
            self._heard.add(to, state, Heard(tuple(messages), group, is_delivery))

    def check(self, system: Remembered) -> None:
        """See that at components that serve all, what different groups do commutes.

        Raises:
            Dependent: It does not, or there is too much to see it.
        """
        self._heard.check(system, self._are_swapped)

    def _are_swapped(self, one: Heard, other: Heard) -> bool:
        """Whether two things can come in either order: never two beginnings of driver events."""
        return one.group != other.group and not (one.is_delivery and other.is_delivery)
