"""Searching alone at first, and with other processes once that pays.

Most searches end before another process could have started, so the others are started only when
there is much to do; until they are ready, and as long as little is left, this process goes on by
itself. When they take over they begin again from the initial world: they are faster at that than at
being told what is known already.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from eutaxy._base.code import Read, UserCode
from eutaxy._base.functions import ScenarioFunctions
from eutaxy._explore.divided import DividedSearch, OrderDecides
from eutaxy._explore.search import Found, Limits, Pace, Search
from eutaxy._explore.split import choose_split
from eutaxy._explore.team import Lost, Places, Team
from eutaxy._session.model import Model
from eutaxy._session.workers.collection import no_collection
from eutaxy._session.workers.replica import ModelMaker, answer_to
from eutaxy._session.workers.seat import serve
from eutaxy.errors import EutaxyError, HostError

START_AT = 150_000
"""Transitions after which other processes are started; about half a second."""

WAITING_SHARE = 4
"""The others take over while one world waits for so many expanded ones, or more do."""


class Crew(Places, Protocol):
    """The other processes."""

    count: int

    @property
    def is_ready(self) -> bool:
        """Whether all of them have started."""
        ...

    def close(self) -> None:
        """Let go of them."""
        ...


class Together:
    """Searches of one check.

    Args:
        start: Starts the other processes, without waiting for them.
        functions: Functions of the scenario.
    """

    def __init__(self, start: Callable[[], Crew], functions: ScenarioFunctions) -> None:
        self._start = start
        self._functions = functions
        self._crew: Crew | None = None

    def search(
        self,
        model: Model,
        code: UserCode,
        keyed: frozenset[tuple[str, Read]],
        limits: Limits,
        is_over: Callable[[Pace], bool],
    ) -> Found:
        """Search a model, whose worlds are merged, alone or together.

        Args:
            model: The scenario as a graph.
            code: The user's code.
            keyed: What is part of the state.
            limits: Where to end.
            is_over: Asked now and then; True ends the search where it is.

        Raises:
            HostError: The other processes do not stay alive.
        """
        with no_collection():
            return self._search(model, code, keyed, limits, is_over)

    def _search(
        self,
        model: Model,
        code: UserCode,
        keyed: frozenset[tuple[str, Read]],
        limits: Limits,
        is_over: Callable[[Pace], bool],
    ) -> Found:
        turn = _Turn(is_over, self._others)
        found = _alone(model, limits, turn.is_over)
        if not turn.is_handed_over or is_over(found.pace):
            return found
        assert self._crew is not None
        team = Team(uuid.uuid4().hex, self._crew.count, self._crew, serve)
        divided = DividedSearch(
            model,
            limits,
            team,
            make=ModelMaker(model.scenario, model.engine, keyed),
            split=choose_split(model, found.graph, self._crew.count),
            answer=lambda question: answer_to(question, code, self._functions),
            is_over=is_over,
        )
        del found, turn
        try:
            result = divided.run()
            for remembered in divided.remembered():
                model.recall(remembered)
        except OrderDecides:
            return _alone(model, limits, lambda found: is_over(found.pace))
        except EutaxyError:
            # Of several errors, the one that a single process meets first is told.
            _alone(model, limits, lambda found: is_over(found.pace))
            raise
        except Lost:
            raise _lost(self._crew.count) from None
        finally:
            with suppress(Exception):
                team.close()
        return result

    def close(self) -> None:
        """End the other processes, if there are any."""
        if self._crew is not None:
            self._crew.close()

    def _others(self) -> Crew:
        if self._crew is None:
            self._crew = self._start()
        return self._crew


class _Turn:
    """Decides when a search by one process ends because others take over."""

    def __init__(self, is_over: Callable[[Pace], bool], others: Callable[[], Crew]) -> None:
        self._is_over = is_over
        self._others = others
        self._look_at = START_AT
        self.is_handed_over = False

    def is_over(self, found: Found) -> bool:
        """Whether the search is to end, for one reason or the other."""
        if found.transitions >= self._look_at and not found.bad:
            is_ready = self._others().is_ready
            if is_ready:
                # What counts is how much is left in proportion, so ever more rarely is enough.
                self._look_at += self._look_at // 8
                expanded = found.graph.is_expanded.count(1)
                waiting = len(found.graph.worlds) - expanded
                self.is_handed_over = waiting * WAITING_SHARE >= expanded
        return self.is_handed_over or self._is_over(found.pace)


def _alone(model: Model, limits: Limits, is_over: Callable[[Found], bool]) -> Found:
    search = Search(model, limits, is_out_of_budget=lambda: is_over(search.found))
    return search.run()


def _lost(count: int) -> HostError:
    return HostError(
        f"searching with {count} processes",
        "one of them ended again and again before it had answered",
        "look for what ends it (too little memory?), or search with --workers 1",
    )
