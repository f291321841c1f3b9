"""Watches user code for signs that steps which run beside each other depend on their order.

Theory: `run` may hear the ends of such steps in any order. When it does nothing before the last of
them has ended, and then always the same, the order is of no consequence to it. That it does
nothing in between, and that a step always ends with the same value, is seen on all that the search
asks. That other orders lead to the same is tried: each step first, each step last, each pair of
neighbours swapped, all backwards; and from there everything that was asked from the known order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eutaxy._base.code import (
    Answer,
    EffectKind,
    Entry,
    LifeId,
    Move,
    NodeId,
    Outcome,
    Reaction,
    Read,
    UserCode,
    WorkflowEntry,
)
from eutaxy._base.value import Value
from eutaxy._platform.workflows.step_order import StepsTangled

QUESTIONS_MAX = 2_000
"""Most questions about other orders; with more, nothing is claimed."""


@dataclass(frozen=True, slots=True)
class _Body:
    """`run` after some observations: its entry, and the steps that it has not heard of."""

    entry: WorkflowEntry
    open: tuple[int, ...]


class StepWatch:
    """User code that is asked as usual, and watched.

    Args:
        code: The code.

    Attributes:
        beside: Names of steps that were seen beside each other, in pairs.
        orders: Other orders that were tried.
    """

    def __init__(self, code: UserCode) -> None:
        self._code = code
        self._bodies: dict[NodeId, _Body] = {}
        self._begun: dict[NodeId, tuple[LifeId, _Body]] = {}
        self._outcomes: dict[tuple[WorkflowEntry, int], Outcome] = {}
        self._fickle: set[tuple[WorkflowEntry, int]] = set()
        self._moves: dict[NodeId, dict[Move, Reaction]] = {}
        self._names: dict[tuple[WorkflowEntry, int], str] = {}
        self._questions = 0
        self.beside: dict[tuple[str, str], None] = {}
        self.orders = 0

    # -- what the platform asks -----------------------------------------------------------------

    def start(self, entry: Entry) -> Reaction:
        """Begin an activation."""
        reaction = self._code.start(entry)
        if isinstance(entry, WorkflowEntry):
            self._note_body(_Body(entry, ()), reaction)
        return reaction

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        """Apply an observation to a fiber, or start a fiber from it.

        Raises:
            StepsTangled: It shows that the order of steps matters.
        """
        reaction = self._code.move(life, node, move)
        self._moves.setdefault(node, {})[move] = reaction
        body = self._bodies.get(node)
        if body is not None and isinstance(move, Answer):
            self._note_answer(body, move, reaction)
        return reaction

    def reads(self, program: str) -> frozenset[Read]:
        """What is part of the state for a program."""
        return self._code.reads(program)

    def require(self, program: str, read: Read) -> None:
        """Make an ambient input part of the state."""
        self._code.require(program, read)

    def place_of(self, thrown: Value) -> str:
        """Where code threw a value first."""
        return self._code.place_of(thrown)

    def _note_body(self, before: _Body, reaction: Reaction) -> None:
        called = [each for each in reaction.effects if each.kind is EffectKind.STEP]
        body = _Body(before.entry, (*before.open, *(each.ordinal for each in called)))
        self._bodies[reaction.node] = body
        for each in called:
            self._names[before.entry, each.ordinal] = each.name
        for each in called:
            for other in body.open:
                if other != each.ordinal:
                    self.beside[self._names[before.entry, other], each.name] = None
        if called and len(body.open) > 1:
            self._begun[reaction.node] = (reaction.life, body)

    def _note_answer(self, body: _Body, move: Answer, reaction: Reaction) -> None:
        left = tuple(each for each in body.open if each != move.ordinal)
        if move.ordinal in body.open:
            if left and not _is_silent(reaction):
                raise StepsTangled("run() goes on when one of them has ended")
            step = (body.entry, move.ordinal)
            if self._outcomes.setdefault(step, move.outcome) != move.outcome:
                self._fickle.add(step)
        self._note_body(_Body(body.entry, left), reaction)

    @property
    def has_seen_some(self) -> bool:
        """Whether any steps ran beside each other."""
        return bool(self._begun)

    # -- what is tried afterwards ---------------------------------------------------------------

    def check(self) -> None:
        """Try other orders.

        Raises:
            StepsTangled: One leads elsewhere, or there is too much to try.
        """
        for node, (life, body) in tuple(self._begun.items()):
            if self._code.reads(body.entry.class_name):
                raise StepsTangled("the code reads a clock, chance, or the number of the attempt")
            steps = {(body.entry, each) for each in body.open}
            if not self._fickle.isdisjoint(steps):
                raise StepsTangled("a step does not always end in the same way")
            if not self._outcomes.keys() >= steps:
                # It never ended in any schedule, so nothing was heard of all of them.
                raise StepsTangled("one of them never ends")
            known = self._heard(life, node, body, body.open)
            for order in _orders(body.open):
                self.orders += 1
                other = self._heard(life, node, body, order)
                self._compare(life, known, other)

    def _heard(
        self, life: LifeId, node: NodeId, body: _Body, order: tuple[int, ...]
    ) -> tuple[NodeId, Reaction]:
        """`run` after it has heard the ends of steps in an order."""
        reaction = Reaction(life, node)
        for index, ordinal in enumerate(order):
            answer = Answer(ordinal, self._outcomes[body.entry, ordinal])
            reaction = self._asked(life, node, answer)
            node = reaction.node
            if index + 1 < len(order) and not _is_silent(reaction):
                raise StepsTangled("run() goes on when one of them has ended")
        return node, reaction

    def _compare(
        self, life: LifeId, known: tuple[NodeId, Reaction], other: tuple[NodeId, Reaction]
    ) -> None:
        """See that all that was asked after one order has the same answers after another."""
        todo = [(known, other)]
        while todo:
            (left, reaction), (right, twin) = todo.pop()
            if _told(reaction) != _told(twin):
                raise StepsTangled("run() depends on the order in which they end")
            if left != right:
                for move, after in self._moves.get(left, {}).items():
                    also = self._asked(life, right, move)
                    todo.append(((after.node, after), (also.node, also)))

    def _asked(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        self._questions += 1
        if self._questions > QUESTIONS_MAX:
            raise StepsTangled("there are too many orders to try")
        return self._code.move(life, node, move)


def _is_silent(reaction: Reaction) -> bool:
    return not reaction.effects and reaction.outcome is None and not reaction.cancelled


def _told(reaction: Reaction) -> tuple[object, ...]:
    return (reaction.effects, reaction.outcome, reaction.cancelled, reaction.is_held)


def _orders(steps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Other orders: backwards, neighbours swapped, each first, each last."""
    tried = {steps}
    candidates = [steps[::-1]]
    for at in range(len(steps)):
        swapped = list(steps)
        swapped[at - 1 : at + 1] = reversed(swapped[at - 1 : at + 1])
        others = (*steps[:at], *steps[at + 1 :])
        candidates += [tuple(swapped), (steps[at], *others), (*others, steps[at])]
    for order in candidates:
        if order not in tried:
            tried.add(order)
            yield order
