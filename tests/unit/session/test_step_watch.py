"""The watch over steps beside each other: which orders it tries, and what it takes offence at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eutaxy._base.code import (
    NO_LIFE,
    Answer,
    Effect,
    EffectKind,
    Entry,
    Invoke,
    LifeId,
    Move,
    NodeId,
    Part,
    Reaction,
    Read,
    Returned,
    WorkflowEntry,
)
from eutaxy._base.value import NULL, Value, encode
from eutaxy._platform.workflows.step_order import StepsTangled
from eutaxy._session import step_watch
from eutaxy._session.step_watch import StepWatch

Heard = tuple[Move, ...]
Told = tuple[list[str], Value | None]

ENTRY = WorkflowEntry(class_name="Flow", event=NULL)
STEPS = ("a", "b", "c")


class Code:
    """User code as a function from what it has heard to the steps it calls and how it ends."""

    def __init__(
        self, tells: Callable[[Heard], Told], reads: frozenset[Read] = frozenset()
    ) -> None:
        self._tells = tells
        self._reads = reads
        self._nodes: dict[Heard, NodeId] = {}
        self._called: dict[NodeId, int] = {}
        self.asked = 0

    def start(self, entry: Entry) -> Reaction:
        """Call the first steps."""
        return self._reaction((), 0)

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        """Hear one thing more."""
        self.asked += 1
        heard = next(each for each, number in self._nodes.items() if number == node)
        return self._reaction((*heard, move), self._called[node])

    def reads(self, program: str) -> frozenset[Read]:
        """What is part of the state."""
        return self._reads

    def require(self, program: str, read: Read) -> None:
        """Nothing more is ever wanted."""
        raise AssertionError

    def place_of(self, thrown: Value) -> str:
        """Nothing is thrown."""
        return ""

    def _reaction(self, heard: Heard, called: int) -> Reaction:
        node = self._nodes.setdefault(heard, NodeId(len(self._nodes)))
        names, outcome = self._tells(heard)
        effects = tuple(
            Effect(called + at, EffectKind.STEP, name, "do", NULL)
            for at, name in enumerate(names, 1)
        )
        self._called[node] = called + len(names)
        return Reaction(NO_LIFE, node, effects, None if outcome is None else Returned(outcome))


def _order(heard: Heard) -> list[int]:
    return [each.ordinal for each in heard if isinstance(each, Answer)]


def _watched(tells: Callable[[Heard], Told], after: tuple[Move, ...] = ()) -> StepWatch:
    """A watch that has seen the three steps end in the order of their calls, and then more."""
    watch = StepWatch(Code(tells))
    node = watch.start(ENTRY).node
    answers = [Answer(number, Returned(encode(number))) for number in (1, 2, 3)]
    for move in (*answers, *after):
        node = watch.move(NO_LIFE, node, move).node
    return watch


def _waits_for_all(heard: Heard) -> Told:
    if not heard:
        return list(STEPS), None
    return [], encode("done") if len(heard) == len(STEPS) else None


def test_each_step_is_tried_first_and_last_and_beside_its_neighbour() -> None:
    watch = _watched(_waits_for_all)
    assert watch.has_seen_some
    watch.check()
    # Of three steps that is every order but the one that was seen.
    assert watch.orders == 5


@pytest.mark.parametrize("first", [2, 3])
def test_another_end_after_another_order_is_noticed(first: int) -> None:
    def tells(heard: Heard) -> Told:
        if len(heard) == len(STEPS):
            return [], encode("odd" if _order(heard)[0] == first else "done")
        return _waits_for_all(heard)

    with pytest.raises(StepsTangled):
        _watched(tells).check()


def test_what_shows_only_in_a_later_step_is_noticed() -> None:
    """The order is remembered, and used by the callback of the step that follows."""

    def tells(heard: Heard) -> Told:
        if len(heard) == len(STEPS):
            return ["after"], None
        if heard and isinstance(heard[-1], Invoke):
            return [], encode(f"first was {_order(heard)[0]}")
        return _waits_for_all(heard)

    called = Invoke(4, Part.CALLBACK, NULL)
    with pytest.raises(StepsTangled):
        _watched(tells, after=(called,)).check()


def test_going_on_after_one_of_them_is_noticed_at_once() -> None:
    def tells(heard: Heard) -> Told:
        return (["next"], None) if len(heard) == 1 else _waits_for_all(heard)

    with pytest.raises(StepsTangled):
        _watched(tells)


def test_going_on_after_one_of_them_in_another_order_is_noticed() -> None:
    def tells(heard: Heard) -> Told:
        return ([], encode("won")) if _order(heard) == [3] else _waits_for_all(heard)

    with pytest.raises(StepsTangled):
        _watched(tells).check()


def test_a_step_that_ends_otherwise_is_noticed() -> None:
    watch = _watched(_waits_for_all)
    root = watch.start(ENTRY).node
    watch.move(NO_LIFE, root, Answer(1, Returned(encode("other"))))
    with pytest.raises(StepsTangled, match="in the same way"):
        watch.check()


def test_a_step_that_never_ends_is_noticed() -> None:
    watch = StepWatch(Code(_waits_for_all))
    watch.start(ENTRY)
    with pytest.raises(StepsTangled, match="never ends"):
        watch.check()


def test_code_that_reads_a_clock_is_left_alone() -> None:
    watch = StepWatch(Code(_waits_for_all, frozenset({Read.CLOCK})))
    watch.start(ENTRY)
    with pytest.raises(StepsTangled, match="clock"):
        watch.check()


def test_too_many_questions_end_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_watch, "QUESTIONS_MAX", 3)
    with pytest.raises(StepsTangled, match="too many"):
        _watched(_waits_for_all).check()


def test_steps_one_after_another_are_none_of_its_business() -> None:
    def tells(heard: Heard) -> Told:
        return ([STEPS[len(heard)]], None) if len(heard) < len(STEPS) else ([], encode("done"))

    watch = _watched(tells)
    assert not watch.has_seen_some
    watch.check()
    assert watch.orders == 0
