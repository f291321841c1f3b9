"""Worlds as tuples of interned component states, with remembered transitions.

Theory: a world is a tuple of small integers, one slot for each component that was ever mentioned; 0
stands for "does not exist". Equal worlds are equal tuples, so merging is exact: there are no hash
collisions. A transition of one component is a function of (its state id, message id) and is
computed once; a step of the world is then a few dictionary look-ups.

Slots are given in the order of first mention and are never shown. Everything that can be seen from
outside (the order of choices) goes by address, so it does not depend on which part of the graph was
visited first.

Editing rules: `choices` and `step` are the hot path. Measure (`benchmarks/`) before and after
touching them. No branch here may know a particular kind of component.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from eutaxy._base.fault import Fault
from eutaxy._base.note import Told
from eutaxy._world.component import Address, Component, Gate, Local

World: TypeAlias = tuple[int, ...]

CLOCK_SLOT = -1


class Option(NamedTuple):
    """One choice of a world.

    Args:
        slot: The component it happens to; `CLOCK_SLOT` for the passing of time.
        message: Id of the message, or milliseconds for the clock.
        faults: Faults it costs (0 or 1).
        redeliveries: Redeliveries it costs (0 or 1).
        kind: Index of the choice in its component, for messages about it.
    """

    slot: int
    message: int
    faults: int
    redeliveries: int
    kind: int


class _Offer:
    """What one component state offers; computed once."""

    __slots__ = ("again", "free", "is_running", "last", "overlap", "start", "step", "timer")

    def __init__(
        self,
        timer: int | None,
        gates: dict[Gate, tuple[Option, ...]],
        *,
        is_running: bool,
    ) -> None:
        self.is_running = is_running
        self.timer = timer
        self.step = gates[Gate.STEP]
        self.start = gates[Gate.START]
        self.overlap = gates[Gate.OVERLAP]
        self.again = gates[Gate.AGAIN]
        self.free = gates[Gate.FREE]
        self.last = gates[Gate.LAST]


@dataclass(frozen=True, slots=True)
class Explained:
    """A step of the world with what it has to tell.

    Args:
        world: The world after the step.
        notes: Lines and matches, in order.
        passed_ms: Virtual time that passed.
        fault: The fault that the choice injected.
    """

    world: World
    notes: tuple[Told, ...]
    passed_ms: int
    fault: Fault | None


_Transition: TypeAlias = tuple[int, tuple[tuple[int, int], ...], tuple[Told, ...]]


class System:
    """All components, and the two pure functions on worlds: `choices` and `step`.

    Args:
        component_at: Makes the component of an address; called once for each.
        initial: Addresses that exist from the beginning to the end; the others come and go, and
            their `initial` state (None, or one that offers nothing) counts as "not there".
        slots_max: Most invocations of user code under way at once (`maxConcurrentInvocations`).
        order: Sort key of addresses; decides which choice of a world comes first.
    """

    def __init__(
        self,
        component_at: Callable[[Address], Component],
        initial: tuple[Address, ...],
        *,
        slots_max: int,
        order: Callable[[Address], tuple[int, Address]],
    ) -> None:
        self._component_at = component_at
        self._slots_max = slots_max
        self._order_of = order
        self._addresses: list[Address] = []
        self._components: list[Component] = []
        self._slot_of: dict[Address, int] = {}
        self._absent: list[int] = []
        self._ids: list[dict[Local, int]] = []
        self._walk: list[int] = []
        # By state id; id 0 is never a state.
        self._locals: list[Local] = [None]
        self._owner: list[int] = [-1]
        self._offers: list[_Offer | None] = [None]
        self._transitions: list[dict[int, _Transition]] = [{}]
        self._ticked: list[dict[int, int]] = [{}]
        self._messages: list[Hashable] = []
        self._message_ids: dict[Hashable, int] = {}
        self._fault_of: dict[tuple[int, int], Fault] = {}
        self._is_lasting: list[bool] = []
        for address in initial:
            self._slot(address, is_lasting=True)
        self.initial: World = tuple(self._absent)

    # -- the two pure functions ---------------------------------------------------------------

    def choices(self, world: World) -> list[Option]:
        """Everything that may happen next, what normally happens first; empty at the very end."""
        offers = self._offers
        running: list[_Offer] = []
        idle: list[_Offer] = []
        for slot in self._walk:
            if slot < len(world):
                state = world[slot]
                if state:
                    offer = offers[state]
                    if offer is None:
                        offer = self._offer(state)
                    (running if offer.is_running else idle).append(offer)
        options: list[Option] = []
        for offer in running:
            options += offer.step
            options += offer.start
        has_slot = len(running) < self._slots_max
        if has_slot:
            for offer in idle:
                options += offer.start
        for offer in (*running, *idle):
            options += offer.free
        if not has_slot:
            return options
        if running:
            for offer in idle:
                options += offer.overlap
        else:
            wait: int | None = None
            for offer in idle:
                timer = offer.timer
                if timer is not None and (wait is None or timer < wait):
                    wait = timer
            if wait:
                options.append(Option(CLOCK_SLOT, wait, 0, 0, 0))
            elif wait is None and all(option[2] for option in options):
                for offer in idle:
                    options += offer.last
        for offer in idle:
            options += offer.again
        return options

    def step(self, world: World, option: Option) -> World:
        """The world after a choice."""
        slot, message = option[0], option[1]
        if slot == CLOCK_SLOT:
            return self._tick(world, message)
        states = list(world)
        transitions = self._transitions
        todo = [(slot, message)]
        for slot, message in todo:
            if slot >= len(states):
                states.extend([0] * (slot + 1 - len(states)))
            state = states[slot]
            known = transitions[state or self._absent[slot]].get(message)
            if known is None:
                known = self._transition(slot, state, message)
            states[slot] = known[0]
            if known[1]:
                todo.extend(known[1])
        return self._trim(states)

    def sent(self, address: Address, message: Hashable) -> Option:
        """A choice that no world offers: hand a component a message from outside.

        For what drives a world by hand: recordings, tests of the model.
        """
        return Option(self._slot(address), self._message(message), 0, 0, 0)

    def passed(self, ms: int) -> Option:
        """A choice that no world offers: let only so much time pass, no more than to the next timer
        of the world."""
        assert ms > 0
        return Option(CLOCK_SLOT, ms, 0, 0, 0)

    # -- looking into worlds ------------------------------------------------------------------

    def is_mandatory(self, option: Option) -> bool:
        """Whether a run that stops before this choice has not come to rest."""
        return option[3] == 0 and option[2] == 0

    def local(self, world: World, address: Address) -> Local:
        """State of one component in a world; None when it does not exist."""
        slot = self._slot_of.get(address)
        if slot is None or slot >= len(world):
            return None
        return self._locals[world[slot]]

    def locals_of(self, world: World) -> list[tuple[Address, Local]]:
        """All existing components of a world, by address order."""
        return [
            (self._addresses[slot], self._locals[world[slot]])
            for slot in self._walk
            if slot < len(world) and world[slot]
        ]

    def slot(self, address: Address) -> int:
        """Index of a component in world tuples; gives it one when it is new."""
        return self._slot(address)

    def explain(self, world: World, option: Option) -> Explained:
        """Take a choice and tell what happened (slow path, for traces)."""
        if option.slot == CLOCK_SLOT:
            return Explained(self._tick(world, option.message), (), option.message, None)
        after = self.step(world, option)
        states = list(world)
        notes: list[Told] = []
        todo = [(option.slot, option.message)]
        for slot, message in todo:
            states.extend([0] * (slot + 1 - len(states)))
            new, out, told = self._transitions[states[slot] or self._absent[slot]][message]
            states[slot] = new
            notes.extend(told)
            todo.extend(out)
        assert self._trim(states) == after
        fault = self._fault_of.get((option.slot, option.message)) if option.faults else None
        return Explained(after, tuple(notes), 0, fault)

    def describe(self, option: Option) -> str:
        """Stable text of a choice, the same in every process."""
        if option.slot == CLOCK_SLOT:
            return f"clock {option.message}"
        fault = self._fault_of.get((option.slot, option.message)) if option.faults else None
        name = "/".join(self._addresses[option.slot])
        message = self._messages[option.message]
        return f"{name} {message!r} {fault.value if fault else ''}"

    def states_of(self, address: Address) -> int:
        """Number of distinct states met of one component; 0 when it was never mentioned."""
        slot = self._slot_of.get(address)
        return 0 if slot is None else len(self._ids[slot])

    @property
    def states_known(self) -> int:
        """Number of distinct component states met so far."""
        return len(self._locals) - 1

    # -- first-time work ----------------------------------------------------------------------

    def _slot(self, address: Address, *, is_lasting: bool = False) -> int:
        slot = self._slot_of.get(address)
        if slot is None:
            slot = len(self._addresses)
            self._slot_of[address] = slot
            self._addresses.append(address)
            component = self._component_at(address)
            self._components.append(component)
            self._ids.append({})
            self._is_lasting.append(is_lasting)
            self._absent.append(0)
            self._absent[slot] = self._intern(slot, component.initial())
            self._walk.append(slot)
            self._walk.sort(key=lambda each: self._order_of(self._addresses[each]))
        return slot

    def _intern(self, slot: int, local: Local) -> int:
        known = self._ids[slot].get(local)
        if known is None:
            known = len(self._locals)
            self._ids[slot][local] = known
            self._locals.append(local)
            self._owner.append(slot)
            self._offers.append(None)
            self._transitions.append({})
            self._ticked.append({})
        return known

    def _message(self, message: Hashable) -> int:
        known = self._message_ids.get(message)
        if known is None:
            known = len(self._messages)
            self._message_ids[message] = known
            self._messages.append(message)
        return known

    def _offer(self, state: int) -> _Offer:
        slot = self._owner[state]
        component = self._components[slot]
        local = self._locals[state]
        gates: dict[Gate, list[Option]] = {gate: [] for gate in Gate}
        for kind, choice in enumerate(component.choices(local)):
            message = self._message(choice.message)
            if choice.fault is not None:
                self._fault_of[slot, message] = choice.fault
            again = 1 if choice.gate is Gate.AGAIN else 0
            option = Option(slot, message, 0 if choice.fault is None else 1, again, kind)
            gates[choice.gate].append(option)
        offer = _Offer(
            component.next_timer(local),
            {gate: tuple(options) for gate, options in gates.items()},
            is_running=component.is_running(local),
        )
        self._offers[state] = offer
        return offer

    def _transition(self, slot: int, state: int, message: int) -> _Transition:
        before = state or self._absent[slot]
        step = self._components[slot].on(self._locals[before], self._messages[message])
        out = tuple((self._slot(to), self._message(sent)) for to, sent in step.out)
        after = self._intern(slot, step.local)
        if after == self._absent[slot] and not self._is_lasting[slot]:
            after = 0
        known = (after, out, step.notes)
        self._transitions[before][message] = known
        return known

    def _tick(self, world: World, ms: int) -> World:
        states = list(world)
        for slot, state in enumerate(states):
            if state:
                later = self._ticked[state].get(ms)
                if later is None:
                    local = self._components[slot].tick(self._locals[state], ms)
                    later = self._intern(slot, local)
                    self._ticked[state][ms] = later
                states[slot] = later
        return tuple(states)

    def _trim(self, states: list[int]) -> World:
        while states and states[-1] == 0:
            states.pop()
        return tuple(states)
