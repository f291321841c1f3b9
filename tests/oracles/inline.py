"""Partitions that live in this process: calls and answers are pickled, as on their way to another."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from typing import Any

from eutaxy._base.functions import NoFunctions
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Verdict
from eutaxy._explore.divided import DividedSearch
from eutaxy._explore.partition import Split
from eutaxy._explore.search import Found, Limits
from eutaxy._explore.team import Team
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.checker import Checker
from eutaxy._session.options import CheckOptions
from eutaxy._session.workers.seat import serve
from eutaxy._session.workers.together import Together
from eutaxy._world.component import Address
from eutaxy.testing import Toy, scripted
from tests.planted.checking import Programs


class InlineExecutor(Executor):
    """Runs a call when it is submitted; breaks after so many calls, forgetting everything."""

    def __init__(self, lives: int = -1) -> None:
        self._lives = lives

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self._lives == 0:
            raise BrokenExecutor
        self._lives -= 1
        try:
            given = pickle.loads(pickle.dumps(args))  # noqa: S301
            future.set_result(pickle.loads(pickle.dumps(fn(*given, **kwargs))))  # noqa: S301
        except Exception as error:  # noqa: BLE001 - as executors do
            future.set_exception(error)
        return future


class InlineCrew:
    """So many partitions of this process.

    Args:
        count: How many.
        lives: Calls after which each breaks, the first time.
    """

    is_ready = True

    def __init__(self, count: int, lives: int = -1) -> None:
        self.count = count
        self.replaced = 0
        self.calls = 0
        self._executors = [InlineExecutor(lives) for _ in range(count)]

    def executor(self, partition: int) -> Executor:
        self.calls += 1
        return self._executors[partition]

    def replace(self, partition: int) -> None:
        self.replaced += 1
        self._executors[partition] = InlineExecutor()

    def is_gone(self, partition: int) -> bool:
        return False

    def is_loss(self, error: BaseException) -> bool:
        return isinstance(error, BrokenExecutor)

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class ToyMaker:
    """Hands a toy to partitions of this process; it would have to be picklable for another."""

    number: int

    def __call__(self) -> tuple[Toy, ToyMaker]:
        return copy.deepcopy(_TOYS[self.number]), self

    def learn(self, answers: Iterable[tuple[Hashable, object]]) -> None:
        """Toys run no user code."""


_TOYS: list[Toy] = []


def search_divided(
    toy: Toy, limits: Limits, count: int, *, key: tuple[Address, ...] | None = None, lives: int = -1
) -> Found:
    """Search a toy in so many partitions, by default with every component telling the owner."""
    _TOYS.append(copy.deepcopy(toy))
    every = tuple(sorted(address for address, _ in toy.locals_of(toy.initial)))
    crew = InlineCrew(count, lives)
    team = Team(f"toy {len(_TOYS)} {count}", count, crew, serve)
    divided = DividedSearch(
        toy,
        limits,
        team,
        make=ToyMaker(len(_TOYS) - 1),
        split=Split(every if key is None else key),
        answer=lambda question: question,
    )
    try:
        found = divided.run()
        for remembered in divided.remembered():
            toy.recall(remembered)
    finally:
        team.close()
    assert lives < 0 or crew.replaced
    return found


def check_with(crew: InlineCrew, programs: Programs, scenario: Scenario, **options: Any) -> Verdict:
    """Check a scripted Worker whose searches are shared out."""
    checker = Checker(
        scenario,
        scripted(**programs),
        Engine(),
        CheckOptions(**options),
        together=Together(lambda: crew, NoFunctions()),
    )
    return checker.verdict()
