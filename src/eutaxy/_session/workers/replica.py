"""User code in a process that may not run it: it knows what it was told, and asks for the rest.

The process that reports runs all user code, so a Worker is evaluated on one machine, by one host,
and everything that was asked of it is asked again at the end (see `NodeTrie.evaluate_again`). The
others need neither Node nor the user's files. Answers are few, so they cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from eutaxy._base.code import Entry, LifeId, Move, NewRead, NodeId, Reaction, Read, UserCode
from eutaxy._base.functions import ScenarioFunctions
from eutaxy._base.scenario import FunctionRef, Scenario
from eutaxy._base.unanswered import Unanswered
from eutaxy._base.value import Value
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.model import Model


@dataclass(frozen=True, slots=True)
class StartAsked:
    """What code does at the start of an activation."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class MoveAsked:
    """What a fiber does after an observation."""

    life: LifeId
    node: NodeId
    move: Move


@dataclass(frozen=True, slots=True)
class FunctionAsked:
    """What a function of the scenario returns."""

    function: FunctionRef
    argument: Value


def answer_to(question: Hashable, code: UserCode, functions: ScenarioFunctions) -> object:
    """What the process that runs user code says to a question of one that does not."""
    match question:
        case StartAsked(entry):
            return code.start(entry)
        case MoveAsked(life, node, move):
            return code.move(life, node, move)
        case FunctionAsked(function, argument):
            return functions.call(function, argument)
    raise AssertionError(f"no process asks {question!r}")


class Replica:
    """User code and functions of the scenario, as far as they have been told.

    Args:
        keyed: What is part of the state, as (program, read).
    """

    def __init__(self, keyed: frozenset[tuple[str, Read]]) -> None:
        self._keyed = keyed
        self._answers: dict[Hashable, object] = {}

    def learn(self, answers: Iterable[tuple[Hashable, object]]) -> None:
        """Be told answers."""
        self._answers.update(answers)

    def start(self, entry: Entry) -> Reaction:
        """Begin an activation."""
        return self._reaction(StartAsked(entry))

    def move(self, life: LifeId, node: NodeId, move: Move) -> Reaction:
        """Apply an observation."""
        return self._reaction(MoveAsked(life, node, move))

    def reads(self, program: str) -> frozenset[Read]:
        """What is part of the state for a program."""
        return frozenset(read for name, read in self._keyed if name == program)

    def require(self, program: str, read: Read) -> None:
        """Make an ambient input part of the state."""
        if read not in self.reads(program):
            raise NewRead(program, read)

    def place_of(self, thrown: Value) -> str:
        """Unknown here: places are only shown by the process that reports."""
        return ""

    def call(self, function: FunctionRef, argument: Value) -> Value:
        """What a function of the scenario returns."""
        answer = self._answer(FunctionAsked(function, argument))
        assert isinstance(answer, str)
        return Value(answer)

    def _reaction(self, question: Hashable) -> Reaction:
        answer = self._answer(question)
        assert isinstance(answer, Reaction)
        return answer

    def _answer(self, question: Hashable) -> object:
        if question not in self._answers:
            raise Unanswered(question)
        return self._answers[question]


@dataclass(frozen=True, slots=True)
class ModelMaker:
    """Makes the graph of a scenario in a process that may not run user code.

    Args:
        scenario: The declarations.
        engine: The Workflows engine.
        keyed: What is part of the state, as (program, read).
    """

    scenario: Scenario
    engine: Engine
    keyed: frozenset[tuple[str, Read]]

    def __call__(self) -> tuple[Model, Replica]:
        """The graph, and what is to be told answers."""
        replica = Replica(self.keyed)
        return Model(self.scenario, replica, self.engine, replica), replica
