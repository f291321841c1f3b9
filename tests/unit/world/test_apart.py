"""What groups share is noticed: touching, hearing the same, and order that matters."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from eutaxy._world.apart import Apart, Grouping, Ownership
from eutaxy._world.component import Address, Choice, Component, Gate, Local, Passive, Step
from eutaxy._world.swaps import Dependent
from eutaxy._world.system import System
from eutaxy._world.world import World

Out = tuple[tuple[Address, Hashable], ...]

SHARED: Address = ("shared",)


class Sender(Passive):
    """An activation that sends some things, one after the other."""

    def __init__(self, sends: tuple[Out, ...]) -> None:
        self._sends = sends

    def initial(self) -> Local:
        """Nothing is sent."""
        return 0

    def is_running(self, local: Local) -> bool:
        """While something is left to send."""
        assert isinstance(local, int)
        return local < len(self._sends)

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """Send the next."""
        return (Choice("send", gate=Gate.STEP),) if self.is_running(local) else ()

    def on(self, local: Local, message: Hashable) -> Step:
        """Send it; what others say changes nothing."""
        assert isinstance(local, int)
        return Step(local + 1, self._sends[local]) if message == "send" else Step(local)


class Register(Passive):
    """Serves all: adds up numbers, and remembers the last text."""

    def initial(self) -> Local:
        """Nothing heard."""
        return (0, "")

    def on(self, local: Local, message: Hashable) -> Step:
        """Numbers commute; texts do not; a question is answered with what was added up, and "?" acts on it."""
        assert isinstance(local, tuple)
        if isinstance(message, int):
            return Step((local[0] + message, local[1]))
        if isinstance(message, tuple):
            return Step(local, (((message[0],), local[0]),))
        if message == "take":
            assert local[1] == "given"
            return Step((local[0], ""))
        if message == "?":
            return Step((local[0] + 1, local[1]), ((SHARED, -local[0]),))
        return Step((local[0], message))


def _system(one: tuple[Out, ...], other: tuple[Out, ...], order: Apart | Grouping) -> System:
    components: dict[Address, Component] = {
        ("one",): Sender(one),
        ("other",): Sender(other),
        SHARED: Register(),
    }
    return System(
        components.__getitem__,
        tuple(components),
        slots_max=2,
        order=lambda address: (0, address),
        groups=order,
    )


OWNERSHIP = Ownership(
    of_address=lambda address: None if address == SHARED else address[0],
    of_choice=lambda _: None,
    is_delivery=lambda _: False,
)


def _explored(system: System) -> set[World]:
    worlds: set[World] = set()
    todo = [system.initial]
    while todo:
        world = todo.pop()
        if world not in worlds:
            worlds.add(world)
            todo += [system.step(world, option) for option in system.choices(world)]
    return worlds


def _apart(one: tuple[Out, ...], other: tuple[Out, ...]) -> int:
    """The worlds visited with the two senders kept apart.

    Raises:
        Dependent: They share something.
    """
    apart = Apart(OWNERSHIP, {"one": 0, "other": 1}, 2)
    system = _system(one, other, apart)
    worlds = _explored(system)
    apart.check(system)
    return len(worlds)


def _adds(*numbers: int) -> tuple[Out, ...]:
    return tuple(((SHARED, number),) for number in numbers)


def test_what_commutes_is_visited_in_one_order() -> None:
    assert _apart(_adds(1, 2), _adds(10, 20)) == 5
    assert _apart(_adds(1), _adds(1)) == 3


@pytest.mark.parametrize(
    ("what", "one", "other"),
    [
        ("texts overwrite each other", (((SHARED, "a"),),), (((SHARED, "b"),),)),
        ("a question is answered otherwise", _adds(1), (((SHARED, ("other",)),),)),
        ("both ask the same", (((SHARED, "?"),),), (((SHARED, "?"),),)),
        ("one talks to the other", (((("other",), 0),),), _adds(1)),
        ("what was not given cannot be taken", (((SHARED, "given"),),), (((SHARED, "take"),),)),
        (
            "seen only once another pair is swapped",
            (((SHARED, "a"),),),
            (((SHARED, 10),), ((SHARED, "b"),)),
        ),
        (
            "both say the same, which one of them said after something else",
            (((SHARED, "a"),), ((SHARED, "b"),)),
            (((SHARED, "b"),),),
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_depends_on_the_order_is_noticed(
    what: str, one: tuple[Out, ...], other: tuple[Out, ...]
) -> None:
    with pytest.raises(Dependent) as caught:
        _apart(one, other)
    assert caught.value.groups == (0, 1)


def test_a_choice_of_nobody_ends_the_claim() -> None:
    apart = Apart(OWNERSHIP, {"one": 0, "other": 1}, 2)
    system = _system(_adds(1), _adds(2), apart)
    with pytest.raises(Dependent) as caught:
        system.step(system.initial, system.sent(SHARED, 5))
    assert caught.value.groups is None


def test_those_who_touch_are_grouped() -> None:
    def groups(*sends: tuple[Out, ...]) -> dict[str, int]:
        grouping = Grouping(OWNERSHIP)
        grouping.unite("one", "one")
        grouping.unite("other", "other")
        _explored(_system(sends[0], sends[1], grouping))
        return grouping.groups()

    assert groups(_adds(1), _adds(2)) == {"one": 0, "other": 1}
    assert groups((((("other",), 0),),), ()) == {"one": 0, "other": 0}
