"""Worlds of machines: which choices are open, how time passes, what messages do."""

from __future__ import annotations

from collections.abc import Hashable

from eutaxy._base.fault import Fault
from eutaxy._world.component import Address, Component, Gate, Local, Step
from eutaxy._world.world import CLOCK_SLOT, World
from eutaxy.testing import Machine, Move, Tell, Toy
from eutaxy.testing.toys import At

LOST = Fault.REQUEST_LOST


def _told(toy: Toy, world: World) -> list[str]:
    return [toy.describe(option).strip() for option in toy.choices(world)]


def _take(toy: Toy, world: World, *numbers: int) -> World:
    for number in numbers:
        world = toy.step(world, toy.choices(world)[number])
    return world


def test_choices_go_by_address_not_by_order_of_mention() -> None:
    idle = Machine({0: (Move(1),)})
    for addresses in ("ab", "ba"):
        toy = Toy({(name,): idle for name in addresses})
        assert _told(toy, toy.initial) == ["a 0", "b 0"]


def test_equal_worlds_are_equal_tuples_however_they_were_reached() -> None:
    toy = Toy({("a",): Machine({0: (Move(1),)}), ("b",): Machine({0: (Move(1),)})})
    one_way = _take(toy, toy.initial, 0, 0)
    other_way = _take(toy, toy.initial, 1, 0)
    assert one_way == other_way
    assert toy.states(one_way) == [At(1), At(1)]


def test_a_start_needs_a_free_slot() -> None:
    starting = Machine({0: (Move(1, gate=Gate.START),), 1: (Move(2),)})
    parts: dict[Address, Component] = {("a",): starting, ("b",): starting}
    one, two = Toy(parts, slots_max=1), Toy(parts, slots_max=2)
    assert _told(one, one.initial) == ["a 0", "b 0"]
    assert _told(one, _take(one, one.initial, 0)) == ["a 0"]
    assert _told(two, _take(two, two.initial, 0)) == ["a 0", "b 0"]


def test_an_overlap_is_open_only_beside_something_that_runs() -> None:
    parts: dict[Address, Component] = {
        ("a",): Machine({0: (Move(1, gate=Gate.START),), 1: (Move(2),)}),
        ("b",): Machine({0: (Move(1, gate=Gate.OVERLAP),)}),
    }
    toy = Toy(parts, slots_max=2)
    assert _told(toy, toy.initial) == ["a 0"]
    assert _told(toy, _take(toy, toy.initial, 0)) == ["a 0", "b 0"]
    alone = Toy(parts, slots_max=1)
    assert _told(alone, _take(alone, alone.initial, 0)) == ["a 0"]


def test_a_redelivery_is_open_beside_what_runs_and_at_rest() -> None:
    parts: dict[Address, Component] = {
        ("a",): Machine({0: (Move(1, gate=Gate.START),), 1: (Move(2),)}),
        ("b",): Machine({0: (Move(1, gate=Gate.AGAIN),)}),
    }
    toy = Toy(parts, slots_max=2)
    running = _take(toy, toy.initial, 0)
    assert _told(toy, running) == ["a 0", "b 0"]
    rest = _take(toy, running, 0)
    (again,) = toy.choices(rest)
    assert (again.faults, again.redeliveries) == (0, 1)


def test_time_passes_to_the_nearest_timer_and_only_when_nothing_runs() -> None:
    toy = Toy(
        {
            ("a",): Machine({0: (Move(1, gate=Gate.START),)}, timers={0: 5}),
            ("b",): Machine({0: (Move(1, gate=Gate.START),)}, timers={0: 3}),
            ("c",): Machine({0: (Move(1),)}),
        }
    )
    assert _told(toy, toy.initial) == ["c 0"]
    quiet = _take(toy, toy.initial, 0)
    assert _told(toy, quiet) == ["clock 3"]
    later = _take(toy, quiet, 0)
    assert toy.states(later) == [At(0, 2), At(0, 0), At(1)]
    assert _told(toy, later) == ["b 0"]
    assert toy.choices(quiet)[0].slot == CLOCK_SLOT


def test_timers_due_together_are_unordered() -> None:
    waiting = Machine({0: (Move(1, gate=Gate.START),)}, timers={0: 5})
    toy = Toy({("a",): waiting, ("b",): waiting})
    assert _told(toy, _take(toy, toy.initial, 0)) == ["a 0", "b 0"]


def test_messages_are_handled_within_the_transition() -> None:
    toy = Toy(
        {
            ("a",): Machine({0: (Move(1, tells=Tell(("b",), 7)),)}),
            ("b",): Machine({0: (Move(1),)}, hears={(0, 7): 9}),
        }
    )
    assert toy.states(_take(toy, toy.initial, 0)) == [At(1), At(9)]


def test_a_step_can_be_explained_without_being_changed() -> None:
    toy = Toy({("a",): Machine({0: (Move(1), Move(0, LOST))})})
    normal, fault = toy.choices(toy.initial)
    assert toy.explain(toy.initial, normal).world == toy.step(toy.initial, normal)
    assert toy.explain(toy.initial, normal).fault is None
    assert toy.explain(toy.initial, fault).fault is LOST
    assert (fault.faults, fault.redeliveries) == (1, 0)
    assert toy.describe(fault) == "a 1 request_lost"


def test_a_clock_step_can_be_explained() -> None:
    toy = Toy({("a",): Machine({0: (Move(1, gate=Gate.START),)}, timers={0: 5})})
    explained = toy.explain(toy.initial, toy.choices(toy.initial)[0])
    assert (explained.passed_ms, explained.notes, explained.fault) == (5, (), None)


def test_work_is_done_once_for_each_state_and_message() -> None:
    calls: list[object] = []

    class Watched(Machine):
        def on(self, local: Local, message: Hashable) -> Step:
            calls.append((local, message))
            return super().on(local, message)

    toy = Toy({("a",): Watched({0: (Move(1), Move(0, LOST))})})
    normal, fault = toy.choices(toy.initial)
    for _ in range(3):
        toy.step(toy.initial, normal)
        toy.step(toy.initial, fault)
    assert len(calls) == 2
    assert len(toy.states_of(("a",))) == 2
    assert toy.states_of(("nobody",)) == ()
