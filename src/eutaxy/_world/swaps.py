"""Whether what different groups do to a component that serves all depends on the order.

Theory: a component is a function from (state, messages) to (state, messages sent), so whether two
things commute is computed, not guessed. Asked is every pair of things that were seen one after the
other, and again, from each state to which a swap leads, every pair that becomes neighbours by it;
so all orders are covered that swaps can make out of those that were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from eutaxy._base.note import Told
from eutaxy._world.component import Address

Exchange: TypeAlias = Sequence[tuple[int, int, int]]
"""What one choice did: (slot, state before, message) of each message, in order."""

Transition: TypeAlias = tuple[int, tuple[tuple[int, int], ...], tuple[Told, ...]]
"""What a message does to a component: its new state, the messages that it sends as (slot, message),
and what it tells."""

Messages: TypeAlias = tuple[int, ...]
"""What one component hears within one choice, in order."""

SWAPS_MAX = 200_000
"""Most swaps that are checked; with more, nothing is claimed."""


class Dependent(Exception):
    """Two groups touch the same thing in a way that depends on their order.

    Args:
        groups: The two, the smaller first; None when it is not known which.
    """

    def __init__(self, groups: tuple[int, int] | None) -> None:
        super().__init__(groups)
        self.groups = groups


class Remembered(Protocol):
    """What a system of components can be asked about."""

    def address_of(self, slot: int) -> Address:
        """The component of a slot."""
        ...

    def message_of(self, message: int) -> Hashable:
        """A message."""
        ...

    def transition(self, slot: int, state: int, message: int) -> Transition:
        """What a message does to a component."""
        ...


@dataclass(frozen=True, slots=True)
class Heard:
    """What a component hears within one choice.

    Args:
        messages: The messages, in order.
        group: Whose choice it is.
        is_delivery: Whether that choice begins an event of the driver.
    """

    messages: Messages
    group: int
    is_delivery: bool = False


class Swaps:
    """What components that serve all have heard, by their slot and state.

    Args:
        most: Most swaps that are checked.
    """

    def __init__(self, most: int = SWAPS_MAX) -> None:
        self._most = most
        self._heard: dict[tuple[int, int], dict[Heard, None]] = {}

    def add(self, slot: int, state: int, heard: Heard) -> None:
        """Note what a component heard in a state."""
        self._heard.setdefault((slot, state), {})[heard] = None

    def check(self, system: Remembered, are_swapped: Callable[[Heard, Heard], bool]) -> None:
        """See that whatever may be swapped commutes.

        Args:
            system: Knows the components.
            are_swapped: Whether two things may come in either order.

        Raises:
            Dependent: It does not, or there is too much to see it.
        """
        for pair in self.dependent(system, are_swapped):
            raise Dependent(pair)

    def dependent(
        self, system: Remembered, are_swapped: Callable[[Heard, Heard], bool]
    ) -> Iterator[tuple[int, int]]:
        """The pairs of groups of which something does not commute.

        Args:
            system: Knows the components.
            are_swapped: Whether two things may come in either order.

        Raises:
            Dependent: There is too much to see it.
        """
        into: dict[tuple[int, int], list[tuple[int, Heard]]] = {}
        seen: dict[tuple[int, int], dict[Heard, None]] = {}
        todo: list[tuple[int, int, Heard]] = []

        def add(slot: int, state: int, heard: Heard) -> None:
            at = seen.setdefault((slot, state), {})
            if heard not in at:
                at[heard] = None
                todo.append((slot, state, heard))

        for (slot, state), all_heard in self._heard.items():
            for heard in all_heard:
                add(slot, state, heard)
        swaps = 0
        while todo:
            slot, state, heard = todo.pop()
            after, _ = _taken(system, slot, state, heard.messages)
            into.setdefault((slot, after), []).append((state, heard))
            pairs = [(state, heard, later) for later in seen.get((slot, after), {})]
            pairs += [(start, first, heard) for start, first in into.get((slot, state), ())]
            for start, first, second in pairs:
                if not are_swapped(first, second):
                    continue
                swaps += 1
                if swaps > self._most:
                    raise Dependent(None)
                if not _commute(system, slot, start, first, second):
                    one, other = sorted((first.group, second.group))
                    yield (one, other)
                    continue
                add(slot, start, second)
                add(slot, _taken(system, slot, start, second.messages)[0], first)


def _taken(
    system: Remembered, slot: int, state: int, messages: Messages
) -> tuple[int, list[tuple[tuple[int, int], ...]]]:
    """The state after some messages, and what each made the component send."""
    sent: list[tuple[tuple[int, int], ...]] = []
    for message in messages:
        state, out, _ = system.transition(slot, state, message)
        sent.append(out)
    return state, sent


def _commute(system: Remembered, slot: int, state: int, first: Heard, second: Heard) -> bool:
    """Whether two things lead to the same state, with the same answers, in either order."""
    between, first_sent = _taken(system, slot, state, first.messages)
    end, second_sent = _taken(system, slot, between, second.messages)
    try:
        swapped, second_swapped = _taken(system, slot, state, second.messages)
        swapped_end, first_swapped = _taken(system, slot, swapped, first.messages)
    except Exception:  # noqa: BLE001 - whatever it is, it does not happen in the order that was seen.
        # The component does not take them in that order: a call cannot land before it is made.
        return False
    return (end, first_sent, second_sent) == (swapped_end, first_swapped, second_swapped)
