"""One check, from a scenario and its code to a verdict: fault-free run, levels, smallest witness.

Knows no files and no processes: code is given as a factory, so that tests can use scripted code.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

from eutaxy._base.code import FibersShare, NewRead, Read, UserCode
from eutaxy._base.functions import NoFunctions, ScenarioFunctions
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import (
    Compared,
    Coverage,
    Suspicion,
    Verdict,
    VerdictKind,
)
from eutaxy._explore.count import Livelock, count_found
from eutaxy._explore.graph import Graph
from eutaxy._explore.search import Found, Limits, Pace, Search
from eutaxy._explore.token import Schedule
from eutaxy._explore.trace import Trace, trace_of
from eutaxy._platform.requests.request import FETCH_PROGRAM
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.fault_free import refused_calls, run_without_faults
from eutaxy._session.lockstep import compare_models
from eutaxy._session.model import Model
from eutaxy._session.options import CheckOptions
from eutaxy._session.reduced import Searched, search_reduced
from eutaxy._session.sampling import BUDGET_SHARE, sample, with_sample
from eutaxy._session.suspicions import suspicions_beside
from eutaxy._session.witness import WitnessFinder
from eutaxy._session.workers.collection import no_collection
from eutaxy._session.workers.together import Together

Keyed: TypeAlias = frozenset[tuple[str, Read]]


class CodeFactory(Protocol):
    """Gives the code, with what is part of the state, over fibers or over whole activations."""

    def __call__(self, keyed: Keyed, *, is_factored: bool) -> UserCode:
        """The code."""
        ...


T = TypeVar("T")

LOCKSTEP_WALKS = 8
"""Random walks in which the factored model is compared with the unfactored one."""

LEAST_MS = 10_000
"""Wall-clock milliseconds that the run without faults may take, when the budget is smaller."""


def _clock(limit_ms: float) -> Callable[[], bool]:
    """Tells whether so many wall-clock milliseconds have passed from now on."""
    deadline = time.monotonic() + limit_ms / 1000
    return lambda: time.monotonic() > deadline


class Checker:
    """Checks one scenario.

    Args:
        scenario: The declarations, with the bounds to use.
        make_code: Gives the code with what is part of the state.
        engine: The Workflows engine.
        options: What the caller asked for.
        functions: Functions of the scenario.
        together: Searches with other processes; None for this one alone.
    """

    def __init__(
        self,
        scenario: Scenario,
        make_code: CodeFactory,
        engine: Engine,
        options: CheckOptions,
        functions: ScenarioFunctions | None = None,
        together: Together | None = None,
    ) -> None:
        self._together = together
        self._functions = functions if functions is not None else NoFunctions()
        self._scenario = scenario
        self._make_code = make_code
        self._engine = engine
        self._options = options
        self._seed = options.seed if options.seed is not None else scenario.name
        self.keyed: Keyed = frozenset()
        """What is part of the state, as (program, read)."""
        self.is_factored = True
        """Whether activations are split into fibers."""
        self._shared: FibersShare | None = None
        self.code: UserCode = make_code(self.keyed, is_factored=True)
        self._deadline = 0.0
        self._refused: list[Suspicion] = []
        self._compared = Compared()
        self.searched: Searched | None = None
        """The last search of `verdict`."""

    def verdict(self, before_search: Callable[[Checker], None] = lambda _: None) -> Verdict:
        """Check the scenario.

        Args:
            before_search: Called once it is seen to work and to be what it seems.
        """
        return self.with_reads(lambda: self._verdict(before_search))

    def without_search(self, before_search: Callable[[Checker], None]) -> Verdict:
        """Do all that comes before the search, and claim nothing."""

        def work() -> Verdict:
            self.prepared_model()
            before_search(self)
            reason = "only the saved schedules were tried"
            return self._inconclusive(Found(Graph(), Limits(0, 0)), reason)

        return self.with_reads(work)

    def aside(self) -> Checker:
        """A checker that knows what this one has learnt, with code and models of its own."""
        other = Checker(
            self._scenario, self._make_code, self._engine, self._options, self._functions
        )
        other.keyed, other.is_factored = self.keyed, self.is_factored
        other.code = self._make_code(other.keyed, is_factored=other.is_factored)
        return other

    def with_reads(self, work: Callable[[], T]) -> T:
        """Do something, again from the start whenever code shows that the state lacks something."""
        while True:
            try:
                return work()
            except NewRead as read:
                self.keyed |= {(program, read.read) for program in self._programs_with(read)}
            except FibersShare as shared:
                assert self.is_factored
                self.is_factored = False
                self._shared = shared
            self.code = self._make_code(self.keyed, is_factored=self.is_factored)

    def _programs_with(self, read: NewRead) -> set[str]:
        """Programs whose state is to have what one of them reads.

        The clock of an instance goes on from that of its creator, so all have it.
        """
        if read.read is not Read.CLOCK or read.program == FETCH_PROGRAM:
            return {read.program}
        classes = [name for each in self._scenario.setup for name in each.classes]
        return {read.program, FETCH_PROGRAM, *classes}

    def model(self, scenario: Scenario | None = None) -> Model:
        """The scenario (or a variant of it) as a graph of worlds."""
        return Model(scenario or self._scenario, self.code, self._engine, self._functions)

    def model_of(self, kept: Sequence[str], schedule: Schedule) -> Model:
        """The graph that a reported schedule runs in.

        Args:
            kept: Names of the driver events that it keeps.
            schedule: What its token says.
        """
        bounds = replace(
            self._scenario.bounds,
            max_redeliveries=schedule.redeliveries_max,
            max_concurrent=schedule.concurrent_max,
        )
        drive = tuple(event for event in self._scenario.drive if event.name in kept)
        return self.model(replace(self._scenario, bounds=bounds, drive=drive))

    # -- the steps of a check -------------------------------------------------------------------

    def _verdict(self, before_search: Callable[[Checker], None]) -> Verdict:
        bounds = self._scenario.bounds
        watch = self._options.watch
        watch.listen(is_listening=False)
        model = self.prepared_model()
        before_search(self)
        watch.listen(is_listening=True)
        self._allot()
        self.searched = searched = self._searched(model)
        model, found = searched.model, searched.found
        try:
            coverage = self._coverage(searched)
        except Livelock:
            return self._inconclusive(
                found, "the Worker can go on for ever without any fault (a livelock)"
            )
        if not found.bad:
            verdict = self._with_sample(self._silent(model, found, coverage))
        else:
            verdict = Verdict(
                kind=VerdictKind.VIOLATED,
                scenario=self._scenario.name,
                seed=self._seed,
                bounds=bounds,
                coverage=coverage,
                violations=self._witnesses(searched.engine).violations(model, found),
            )
        suspicions = suspicions_beside(
            self._scenario, model, verdict, shared=self._shared, refused=self._refused
        )
        return replace(verdict, suspicions=suspicions)

    def _allot(self) -> None:
        """Give the search its time from now on."""
        share = 1 - BUDGET_SHARE if self._options.samples else 1
        self._deadline = time.monotonic() + share * self._scenario.bounds.budget_ms / 1000

    def _with_sample(self, verdict: Verdict) -> Verdict:
        """Draw schedules beyond what was covered, when that is asked for."""
        if not self._options.samples:
            return verdict
        is_late = _clock(BUDGET_SHARE * self._scenario.bounds.budget_ms)
        drawn = sample(
            self._scenario,
            self.model,
            verdict.coverage,
            profile=self._engine.profile.name,
            seed=self._seed,
            runs=self._options.samples,
            is_over=lambda: is_late() or self._options.watch.is_stopped,
        )
        return with_sample(verdict, drawn)

    def _witnesses(self, engine: Engine) -> WitnessFinder:
        return WitnessFinder(
            self._scenario,
            engine,
            make_model=lambda scenario, engine: Model(scenario, self.code, engine, self._functions),
            search=self._search,
            seed=self._seed,
            is_all=self._options.is_all,
            is_explaining=self._options.is_explaining,
        )

    def prepared_model(self, *, is_timed: bool = True) -> Model:
        """The scenario as a graph, once it is seen to work and to be what it seems.

        Args:
            is_timed: Whether the budget may end the comparison of fibers with whole activations.

        Raises:
            ScenarioError: It does not work without faults.
            FibersShare: Fibers share more than their answers.
        """
        model = self.model()
        self.run_without_faults(model)
        if self.is_factored:
            self._compare_models(model, is_timed=is_timed)
        return model

    def _compare_models(self, model: Model, *, is_timed: bool) -> None:
        """See that fibers share nothing but their answers.

        Raises:
            FibersShare: They do; the caller starts again with whole activations.
        """
        code = self._make_code(self.keyed, is_factored=False)
        whole = Model(self._scenario, code, self._engine, self._functions)
        bounds = self._scenario.bounds
        self._compared = compare_models(
            model,
            whole,
            walks=LOCKSTEP_WALKS,
            faults_max=bounds.max_faults,
            redeliveries_max=bounds.max_redeliveries,
            is_out_of_time=_clock(max(bounds.budget_ms, LEAST_MS) / 2 if is_timed else math.inf),
        )

    def run_without_faults(self, model: Model) -> Trace:
        """Run once without faults and see that the Worker works at all.

        Raises:
            ScenarioError: It does not.
        """
        trace = run_without_faults(
            self._scenario,
            model,
            self.code,
            is_out_of_time=_clock(max(self._scenario.bounds.budget_ms, LEAST_MS)),
        )
        self._refused = refused_calls(self._scenario, trace)
        return trace

    def _searched(self, model: Model) -> Searched:
        """Search all orders, or fewer where that is known to be enough."""
        bounds = self._scenario.bounds
        if self._options.is_reducing and self.is_factored and not self._options.ledger:
            search = partial(self._search, faults=bounds.max_faults)
            reduced = search_reduced(
                self._scenario,
                self._engine,
                self.code,
                lambda code, engine, groups: Model(
                    self._scenario, code, engine, self._functions, groups=groups
                ),
                partial(search, redeliveries=bounds.max_redeliveries),
                is_one_by_one=self._options.is_one_by_one,
            )
            if reduced is not None:
                return reduced
            # What comes instead has the whole budget again.
            self._allot()
        found = self._search(model, bounds.max_faults, bounds.max_redeliveries)
        return Searched(model, found, self._engine)

    def _search(
        self, model: Model, faults: int, redeliveries: int, *, stops_at_bad: bool = False
    ) -> Found:
        is_merging = not model.needs_whole_traces

        def is_bad_run(path: tuple[int, ...]) -> bool:
            return bool(model.trace_findings(trace_of(model, path)))

        watch, since_s = self._options.watch, time.monotonic()

        def is_over(pace: Pace) -> bool:
            now_s = time.monotonic()
            return watch.is_over(pace, since_s=since_s, now_s=now_s, until_s=self._deadline)

        limits = Limits(faults, redeliveries, is_merging=is_merging, stops_at_bad=stops_at_bad)
        is_divisible = model.is_divisible and is_merging and not stops_at_bad
        if self._together is not None and is_divisible:
            return self._together.search(model, self.code, self.keyed, limits, is_over)
        search = Search(
            model,
            limits,
            is_out_of_budget=lambda: is_over(search.found.pace),
            judge_path=None if is_merging else is_bad_run,
        )
        with no_collection():
            return search.run()

    def _coverage(self, searched: Searched) -> Coverage:
        found = searched.found
        return Coverage(
            complete=found.complete,
            schedules=count_found(found),
            worlds=found.worlds,
            transitions=found.transitions,
            is_whole=found.is_whole,
            is_merging=found.limits.is_merging,
            compared=self._compared if self.is_factored else Compared(),
            apart=searched.apart,
            orders=searched.orders,
        )

    def _silent(self, model: Model, found: Found, coverage: Coverage) -> Verdict:
        """Nothing bad was found: BOUNDED, unless that would say too much."""
        reasons: list[str] = []
        vacuous = model.vacuous()
        is_stopped = self._options.watch.is_stopped and not found.is_whole
        ended = "the check was interrupted" if is_stopped else "the budget ended"
        if found.complete is None:
            reasons.append(f"{ended} before the schedules without faults were covered")
        elif self._options.is_strict and not found.is_whole:
            reasons.append(f"{ended} before everything inside the bounds was covered")
        elif self._options.is_strict and not coverage.compared.is_whole:
            reasons.append("half of the budget ended before it was seen that steps share nothing")
        if vacuous and found.is_whole:
            reasons.append("an invariant never matched anything, so it was not checked")
        elif vacuous:
            reasons.append("an invariant matched nothing in what was covered")
        kind = VerdictKind.INCONCLUSIVE if reasons else VerdictKind.BOUNDED
        if is_stopped and not reasons:
            reasons.append("the check was interrupted, so its budget was not used up")
        return Verdict(
            kind=kind,
            scenario=self._scenario.name,
            seed=self._seed,
            bounds=self._scenario.bounds,
            coverage=coverage,
            vacuous=vacuous,
            reasons=tuple(reasons),
        )

    def _inconclusive(self, found: Found, reason: str) -> Verdict:
        return Verdict(
            kind=VerdictKind.INCONCLUSIVE,
            scenario=self._scenario.name,
            seed=self._seed,
            bounds=self._scenario.bounds,
            coverage=Coverage(
                complete=None,
                schedules=(),
                worlds=found.worlds,
                transitions=found.transitions,
                is_whole=False,
            ),
            reasons=(reason,),
        )
