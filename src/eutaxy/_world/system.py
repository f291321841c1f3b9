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

from eutaxy._base.fault import Fault
from eutaxy._base.note import Diagnostic, Reached, Told
from eutaxy._world.apart import Order
from eutaxy._world.component import Address, Component, FaultBudget, Gate, Local
from eutaxy._world.offering import open_options
from eutaxy._world.swaps import Transition
from eutaxy._world.world import CLOCK_SLOT, Explained, Macro, Offer, Option, World


class System:
    """All components, and the two pure functions on worlds: `choices` and `step`.

    Args:
        component_at: Makes the component of an address; called once for each.
        initial: Addresses that exist from the beginning to the end; the others come and go, and
            their `initial` state (None, or one that offers nothing) counts as "not there".
        slots_max: Most invocations of user code under way at once (`maxConcurrentInvocations`).
        order: Sort key of addresses; decides which choice of a world comes first.
        fault_limits: Most faults of some kinds in one schedule: (kinds counted together, the only
            place where they count or "" for all, number).
        groups: Decides which of the open choices are offered; None offers all.
    """

    def __init__(
        self,
        component_at: Callable[[Address], Component],
        initial: tuple[Address, ...],
        *,
        slots_max: int,
        order: Callable[[Address], tuple[int, Address]],
        fault_limits: tuple[tuple[tuple[Fault, ...], str, int], ...] = (),
        groups: Order | None = None,
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
        self._offers: list[Offer | None] = [None]
        self._transitions: list[dict[int, Transition]] = [{}]
        self._macros: list[dict[int, Macro]] = [{}]
        self._ticked: list[dict[int, int]] = [{}]
        self._messages: list[Hashable] = []
        self._message_ids: dict[Hashable, int] = {}
        self._given: dict[Address, Component] = {}
        self._budget_slots: list[int] = []
        self._diagnostics: dict[Diagnostic, None] = {}
        self._reached: set[Reached] = set()
        self._fault_of: dict[tuple[int, int], Fault] = {}
        self._is_lasting: list[bool] = []
        self._groups = groups
        for address in initial:
            self._slot(address, is_lasting=True)
        self._budgets_of: dict[tuple[Fault | None, str], tuple[int, ...]] = {}
        for number, (kinds, place, most) in enumerate(fault_limits):
            slot = self._slot_of_budget(number, most)
            for kind in kinds:
                self._budgets_of[kind, place] = (*self._budgets_of.get((kind, place), ()), slot)
        self._empty = [self._intern(slot, 0) for slot in self._budget_slots]
        self.initial: World = tuple(self._absent)

    # -- the two pure functions ---------------------------------------------------------------

    def choices(self, world: World) -> list[Option]:
        """Everything that may happen next, what normally happens first; empty at the very end."""
        options = self._offered(world)
        if not self._budget_slots:
            return options
        spent = {
            slot
            for slot, empty in zip(self._budget_slots, self._empty, strict=True)
            if world[slot] == empty
        }
        return [each for each in options if not spent.intersection(each.budgets)]

    def _offered(self, world: World) -> list[Option]:
        offers = self._offers
        present: list[Offer] = []
        for slot in self._walk:
            if slot < len(world):
                state = world[slot]
                if state:
                    present.append(offers[state] or self._offer(state))
        if self._groups is not None:
            slots = [slot for slot in self._walk if slot < len(world) and world[slot]]
            reduced = self._groups.offered(self, list(zip(slots, present, strict=True)))
            if reduced is not None:
                return reduced
        return open_options(present, self._slots_max)

    def step(self, world: World, option: Option) -> World:
        """The world after a choice."""
        slot, message = option[0], option[1]
        if slot == CLOCK_SLOT:
            return self._tick(world, message)
        if option[4]:
            world = self._spend(world, option[4])
        # Id 0, "does not exist", has no macros of its own.
        macro = self._macros[world[slot]].get(message) if slot < len(world) else None
        if macro is not None:
            try:
                changes = macro.table.get(macro.read(world))
            except IndexError:
                changes = None
            if changes is not None:
                states = list(world)
                for slot, state in changes:
                    states[slot] = state
                while not states[-1]:
                    states.pop()
                return tuple(states)
        return self._step_by_message(world, slot, message)

    def _spend(self, world: World, budgets: tuple[int, ...]) -> World:
        """Count a fault against the budgets of its kind."""
        if not budgets:
            return world
        states = list(world)
        for slot in budgets:
            left = self._locals[states[slot]]
            assert isinstance(left, int)
            states[slot] = self._intern(slot, left - 1)
        return tuple(states)

    def _step_by_message(self, world: World, slot: int, message: int) -> World:
        """Take a choice message by message, and remember it as one."""
        start = world[slot] if slot < len(world) else 0
        states = list(world)
        transitions = self._transitions
        todo = [(slot, message)]
        touched: dict[int, None] = {}
        exchange: list[tuple[int, int, int]] = []
        for to, sent in todo:
            touched[to] = None
            if to >= len(states):
                states.extend([0] * (to + 1 - len(states)))
            state = states[to]
            known = transitions[state or self._absent[to]].get(sent)
            if known is None:
                known = self._transition(to, state, sent)
            exchange.append((to, state, sent))
            states[to] = known[0]
            if known[1]:
                todo.extend(known[1])
        if self._groups is not None:
            self._groups.note(self, exchange)
        self._remember(start, message, world, states, list(touched))
        return self._trim(states)

    def _remember(
        self, start: int, message: int, world: World, states: list[int], touched: list[int]
    ) -> None:
        """Remember what a choice did, as a function of the slots that it looked at."""
        if not start or max(touched) >= len(world):
            return
        macro = self._macros[start].get(message)
        if macro is None or not macro.slots.issuperset(touched):
            slots = touched if macro is None else [*sorted(macro.slots), *touched]
            macro = Macro(frozenset(slots))
            self._macros[start][message] = macro
        changes = tuple((slot, states[slot]) for slot in touched if states[slot] != world[slot])
        if max(macro.slots) < len(world):
            macro.table[macro.read(world)] = changes

    def sent(self, address: Address, message: Hashable) -> Option:
        """A choice that no world offers: hand a component a message from outside.

        For what drives a world by hand: recordings, tests of the model.
        """
        return Option(self._slot(address), self._message(message), 0, 0)

    def passed(self, ms: int) -> Option:
        """A choice that no world offers: let only so much time pass, no more than to the next timer
        of the world."""
        assert ms > 0
        return Option(CLOCK_SLOT, ms, 0, 0)

    # -- looking into worlds ------------------------------------------------------------------

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
        world = self._spend(world, option.budgets)
        after = self._step_by_message(world, option.slot, option.message)
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
        return Explained(after, tuple(notes), 0, self.fault(option))

    def owner(self, option: Option) -> Address:
        """The component to which a choice happens; ("clock",) for the passing of time."""
        return ("clock",) if option.slot == CLOCK_SLOT else self._addresses[option.slot]

    def fault(self, option: Option) -> Fault | None:
        """The fault that a choice injects."""
        return self._fault_of.get((option.slot, option.message)) if option.faults else None

    def message(self, option: Option) -> Hashable:
        """What a choice sends to its owner; None for the passing of time."""
        return None if option.slot == CLOCK_SLOT else self._messages[option.message]

    def describe(self, option: Option) -> str:
        """Stable text of a choice, the same in every process."""
        if option.slot == CLOCK_SLOT:
            return f"clock {option.message}"
        fault = self.fault(option)
        name = "/".join(self.owner(option))
        message = self._messages[option.message]
        return f"{name} {message!r} {fault.value if fault else ''}"

    def states_of(self, address: Address) -> tuple[Local, ...]:
        """All distinct states met of one component, in order; none when it was never mentioned."""
        slot = self._slot_of.get(address)
        return () if slot is None else tuple(self._ids[slot])

    def has_reached(self, what: Reached) -> bool:
        """Whether any transition taken so far has told so."""
        return what in self._reached

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Suspicious things that any transition taken so far has pointed out, in a fixed order."""
        return tuple(
            sorted(
                self._diagnostics,
                key=lambda each: (each.rule, each.place, len(each.text), each.text),
            )
        )

    # -- what an `Order` asks --------------------------------------------------------------------

    def address_of(self, slot: int) -> Address:
        """The component of a slot."""
        return self._addresses[slot]

    def message_of(self, message: int) -> Hashable:
        """A message."""
        return self._messages[message]

    def transition(self, slot: int, state: int, message: int) -> Transition:
        """What a message does to a component: its new state, what it sends, and what it tells."""
        known = self._transitions[state or self._absent[slot]].get(message)
        return known or self._transition(slot, state, message)

    # -- first-time work ----------------------------------------------------------------------

    def _slot_of_budget(self, number: int, most: int) -> int:
        address = ("~budget", str(number))
        self._given[address] = FaultBudget(most)
        slot = self._slot(address, is_lasting=True)
        self._budget_slots.append(slot)
        return slot

    def _slot(self, address: Address, *, is_lasting: bool = False) -> int:
        slot = self._slot_of.get(address)
        if slot is None:
            slot = len(self._addresses)
            self._slot_of[address] = slot
            self._addresses.append(address)
            component = self._given.get(address) or self._component_at(address)
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
            self._macros.append({})
            self._ticked.append({})
        return known

    def _message(self, message: Hashable) -> int:
        known = self._message_ids.get(message)
        if known is None:
            known = len(self._messages)
            self._message_ids[message] = known
            self._messages.append(message)
        return known

    def _offer(self, state: int) -> Offer:
        slot = self._owner[state]
        component = self._components[slot]
        local = self._locals[state]
        gates: dict[Gate, list[Option]] = {gate: [] for gate in Gate}
        for choice in component.choices(local):
            message = self._message(choice.message)
            if choice.fault is not None:
                self._fault_of[slot, message] = choice.fault
            again = 1 if choice.gate is Gate.AGAIN else 0
            budgets = self._budgets_of.get((choice.fault, ""), ())
            if choice.target:
                budgets += self._budgets_of.get((choice.fault, choice.target), ())
            option = Option(slot, message, 0 if choice.fault is None else 1, again, budgets)
            gates[choice.gate].append(option)
        offer = Offer(
            component.next_timer(local),
            {gate: tuple(options) for gate, options in gates.items()},
            is_running=component.is_running(local),
        )
        self._offers[state] = offer
        return offer

    def _transition(self, slot: int, state: int, message: int) -> Transition:
        before = state or self._absent[slot]
        step = self._components[slot].on(self._locals[before], self._messages[message])
        out = tuple((self._slot(to), self._message(sent)) for to, sent in step.out)
        after = self._intern(slot, step.local)
        if after == self._absent[slot] and not self._is_lasting[slot]:
            after = 0
        for note in step.notes:
            if isinstance(note, Diagnostic):
                self._diagnostics[note] = None
            elif isinstance(note, Reached):
                self._reached.add(note)
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
