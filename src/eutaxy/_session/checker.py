"""One check, from a scenario and its code to a verdict: fault-free run, levels, smallest witness.

Knows no files and no processes: code is given as a factory, so that tests can use scripted code.
"""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, TypeVar

from eutaxy._base.bounds import Bounds
from eutaxy._base.code import FibersShare, NewRead, Read, UserCode
from eutaxy._base.record import RecordKind
from eutaxy._base.scenario import Scenario
from eutaxy._base.value import UNDEFINED, decode
from eutaxy._base.verdict import Coverage, Level, Verdict, VerdictKind, Violation
from eutaxy._explore.count import Livelock, count_complete
from eutaxy._explore.minimal import Way, WayFinder
from eutaxy._explore.path import EndlessRun, first_path
from eutaxy._explore.search import Found, Limits, Search
from eutaxy._explore.token import Schedule, name_print, prints_of, write_token
from eutaxy._explore.trace import Trace, trace_of
from eutaxy._platform.requests.request import FETCH_PROGRAM
from eutaxy._platform.workflows.profile import Engine
from eutaxy._session.lockstep import compare_models
from eutaxy._session.model import Model
from eutaxy._session.options import CheckOptions
from eutaxy.errors import ScenarioError

Keyed: TypeAlias = frozenset[tuple[str, Read]]


class CodeFactory(Protocol):
    """Gives the code, with what is part of the state, over fibers or over whole activations."""

    def __call__(self, keyed: Keyed, *, is_factored: bool) -> UserCode:
        """The code."""
        ...


T = TypeVar("T")

LOCKSTEP_WALKS = 8
"""Random walks in which the factored model is compared with the unfactored one."""

TIE_SALT = "eutaxy 10"
"""Part of the order among equally small violations; see docs/decisions/seed-order.md."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An equally small violation of one invariant."""

    invariant: str
    way: Way
    trace: Trace
    texts: tuple[str, ...]


class Checker:
    """Checks one scenario.

    Args:
        scenario: The declarations, with the bounds to use.
        make_code: Gives the code with what is part of the state.
        engine: The Workflows engine.
        options: What the caller asked for.
    """

    def __init__(
        self,
        scenario: Scenario,
        make_code: CodeFactory,
        engine: Engine,
        options: CheckOptions,
    ) -> None:
        self._scenario = scenario
        self._make_code = make_code
        self._engine = engine
        self._options = options
        self._seed = options.seed if options.seed is not None else scenario.name
        self._keyed: Keyed = frozenset()
        self._is_factored = True
        self._shared: FibersShare | None = None
        self.code: UserCode = make_code(self._keyed, is_factored=True)
        self._deadline = 0.0

    def verdict(self) -> Verdict:
        """Check the scenario."""
        return self.with_reads(self._verdict)

    def with_reads(self, work: Callable[[], T]) -> T:
        """Do something, again from the start whenever code shows that the state lacks something."""
        while True:
            try:
                return work()
            except NewRead as read:
                self._keyed |= {(program, read.read) for program in self._programs_with(read)}
            except FibersShare as shared:
                assert self._is_factored
                self._is_factored = False
                self._shared = shared
            self.code = self._make_code(self._keyed, is_factored=self._is_factored)

    def _programs_with(self, read: NewRead) -> set[str]:
        """Programs whose state is to have what one of them reads.

        The clock of an instance goes on from that of its creator, so all have it.
        """
        if read.read is not Read.CLOCK or read.program == FETCH_PROGRAM:
            return {read.program}
        return {read.program, FETCH_PROGRAM, *(each.class_name for each in self._scenario.setup)}

    def model(self, scenario: Scenario | None = None) -> Model:
        """The scenario (or a variant of it) as a graph of worlds."""
        return Model(scenario or self._scenario, self.code, self._engine)

    # -- the steps of a check -------------------------------------------------------------------

    def _verdict(self) -> Verdict:
        bounds = self._scenario.bounds
        self._deadline = time.monotonic() + bounds.budget_ms / 1000
        model = self.model()
        self.run_without_faults(model)
        if self._is_factored:
            self._compare_models(model)
        found = self._search(model, bounds.max_faults, bounds.max_redeliveries)
        try:
            coverage = self._coverage(found)
        except Livelock:
            return self._inconclusive(
                found, "the Worker can go on for ever without any fault (a livelock)"
            )
        if found.bad:
            return Verdict(
                kind=VerdictKind.VIOLATED,
                scenario=self._scenario.name,
                seed=self._seed,
                bounds=bounds,
                coverage=coverage,
                violations=self._violations(model, found),
                vacuous=(),
            )
        return self._silent(model, found, coverage)

    def _compare_models(self, model: Model) -> None:
        """See that fibers share nothing but their answers.

        Raises:
            FibersShare: They do; the caller starts again with whole activations.
        """
        code = self._make_code(self._keyed, is_factored=False)
        whole = Model(self._scenario, code, self._engine)
        bounds = self._scenario.bounds
        compare_models(
            model,
            whole,
            walks=LOCKSTEP_WALKS,
            faults_max=bounds.max_faults,
            redeliveries_max=bounds.max_redeliveries,
        )

    def run_without_faults(self, model: Model) -> Trace:
        """Run once without faults and see that the Worker works at all.

        Raises:
            ScenarioError: It throws, an instance fails, or it never comes to rest.
        """
        doing = f"running {self._scenario.name} without faults"
        try:
            path = first_path(model)
        except EndlessRun:
            raise ScenarioError(
                doing,
                "the run does not come to rest",
                "look for a loop without end, such as a Workflow that polls for ever",
                place=self._scenario.path,
            ) from None
        trace = trace_of(model, path)
        for record in trace.records:
            if record.kind is RecordKind.END and record.text in ("threw", "errored"):
                ends = "throws" if record.text == "threw" else "ends errored"
                raise ScenarioError(
                    doing,
                    f"{record.activation} {ends}: {_error_text(record.answer)}",
                    "correct the Worker or the scenario first; faults are tried only on a run that "
                    "works without them",
                    place=self.code.place_of(record.answer or UNDEFINED) or self._scenario.path,
                )
        return trace

    def _search(self, model: Model, faults: int, redeliveries: int) -> Found:
        limits = Limits(faults, redeliveries)
        search = Search(model, limits, is_out_of_budget=self._is_out_of_budget)
        # Worlds hold no cycles, so looking for some among millions of them is time lost.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return search.run()
        finally:
            if was_enabled:
                gc.enable()

    def _is_out_of_budget(self) -> bool:
        return time.monotonic() > self._deadline

    def _coverage(self, found: Found) -> Coverage:
        schedules: tuple[int, ...] = ()
        if found.complete is not None:
            schedules = count_complete(found.graph, found.complete, found.limits.redeliveries_max)
        return Coverage(
            complete=found.complete,
            schedules=schedules,
            worlds=len(found.graph.worlds),
            transitions=found.transitions,
            is_whole=found.is_whole,
        )

    def _silent(self, model: Model, found: Found, coverage: Coverage) -> Verdict:
        """Nothing bad was found: BOUNDED, unless that would say too much."""
        reasons: list[str] = []
        vacuous = model.vacuous()
        if found.complete is None:
            reasons.append("the budget ended before the schedules without faults were covered")
        elif self._options.is_strict and not found.is_whole:
            reasons.append("the budget ended before everything inside the bounds was covered")
        if vacuous and found.is_whole:
            reasons.append("an invariant never matched anything, so it was not checked")
        elif vacuous:
            reasons.append("an invariant matched nothing in what was covered")
        return Verdict(
            kind=VerdictKind.INCONCLUSIVE if reasons else VerdictKind.BOUNDED,
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
                worlds=len(found.graph.worlds),
                transitions=found.transitions,
                is_whole=False,
            ),
            reasons=(reason,),
        )

    # -- witnesses ------------------------------------------------------------------------------

    def _violations(self, model: Model, found: Found) -> tuple[Violation, ...]:
        assert found.bad_level is not None
        broken = {
            name: None for world in found.bad for name in model.broken_in(found.graph.worlds[world])
        }
        reported: list[Violation] = []
        for invariant in self._scenario.invariants:
            if invariant.name not in broken:
                continue
            candidates, is_all = self._candidates(model, found, invariant.name)
            chosen = candidates if self._options.is_all else candidates[:1]
            others = len(candidates) - 1
            count = others if is_all else -others
            reported += [self._report(each, found.bad_level, count) for each in chosen]
        return tuple(reported)

    def _candidates(
        self, model: Model, found: Found, invariant: str
    ) -> tuple[list[_Candidate], bool]:
        """Violations that differ in their faults, in the order of the seed."""
        assert found.bad_level is not None
        graph = found.graph
        bad = [w for w in found.bad if invariant in model.broken_in(graph.worlds[w])]
        ways = WayFinder(graph, bad, found.bad_level.faults).ways()
        distinct: dict[tuple[str, ...], _Candidate] = {}
        for way in ways.ways:
            trace = trace_of(model, way.choices)
            texts = (*(mark.text for mark in trace.faults), *trace.redelivered)
            known = distinct.get(texts)
            if known is None or len(way.choices) < len(known.way.choices):
                distinct[texts] = _Candidate(invariant, way, trace, texts)
        ordered = sorted(distinct.values(), key=lambda each: self._rank(each.texts))
        return ordered, ways.is_all and found.is_bad_level_complete

    def _rank(self, texts: Iterable[str]) -> bytes:
        told = "\n".join(texts)
        return hashlib.blake2b(
            told.encode(), key=self._seed.encode()[:64], person=TIE_SALT.encode(), digest_size=8
        ).digest()

    def _report(self, candidate: _Candidate, level: Level, others: int) -> Violation:
        scenario, model, way = self._shrink(candidate, level)
        trace = trace_of(model, way.choices)
        claim = next(b.claim for b in model.claims(trace) if b.invariant == candidate.invariant)
        kept = {request.name for request in scenario.drive}
        token = write_token(
            Schedule(
                scenario=name_print(self._scenario.name),
                kept=tuple(request.name in kept for request in self._scenario.drive),
                redeliveries_max=scenario.bounds.max_redeliveries,
                concurrent_max=scenario.bounds.max_concurrent,
                path=way.choices,
                prints=prints_of(model, way.choices),
            )
        )
        return Violation(
            invariant=candidate.invariant,
            claim=claim,
            faults=tuple(trace.faults),
            redelivered=tuple(trace.redelivered),
            kept=tuple(request.name for request in scenario.drive),
            token=token,
            certificate=_certificate(level),
            others=others,
            trace=tuple(trace.records),
        )

    def _shrink(self, candidate: _Candidate, level: Level) -> tuple[Scenario, Model, Way]:
        """Fewest driver events: leave one out while the same faults still break the invariant."""
        scenario = self._scenario
        model, way = self.model(scenario), candidate.way
        for request in reversed(self._scenario.drive):
            fewer = replace(
                scenario, drive=tuple(each for each in scenario.drive if each is not request)
            )
            if not fewer.drive:
                break
            smaller = self._same_violation(fewer, candidate, level)
            if smaller is not None:
                scenario = fewer
                model, way = smaller
        return scenario, model, way

    def _same_violation(
        self, scenario: Scenario, candidate: _Candidate, level: Level
    ) -> tuple[Model, Way] | None:
        model = self.model(scenario)
        found = self._search(model, level.faults, level.redeliveries)
        if not found.bad or found.bad_level != level:
            return None
        bad = [
            world
            for world in found.bad
            if candidate.invariant in model.broken_in(found.graph.worlds[world])
        ]
        kinds = sorted(mark.fault.value + mark.effect for mark in candidate.trace.faults)
        for way in WayFinder(found.graph, bad, level.faults).ways().ways:
            trace = trace_of(model, way.choices)
            if sorted(mark.fault.value + mark.effect for mark in trace.faults) == kinds:
                return model, way
        return None


def with_options(scenario: Scenario, options: CheckOptions) -> Scenario:
    """The scenario with the bounds that the caller asked for."""
    bounds = scenario.bounds

    def pick(asked: int | None, said: int) -> int:
        return said if asked is None else asked

    return replace(
        scenario,
        bounds=Bounds(
            max_faults=pick(options.max_faults, bounds.max_faults),
            max_redeliveries=pick(options.max_redeliveries, bounds.max_redeliveries),
            max_concurrent=pick(options.max_concurrent, bounds.max_concurrent),
            budget_ms=pick(options.budget_ms, bounds.budget_ms),
        ),
    )


def _certificate(level: Level) -> str:
    if level.faults and level.redeliveries:
        return "no schedule with fewer faults fails, nor one with as many and fewer redeliveries"
    if level.faults:
        return "no schedule with fewer faults fails"
    if level.redeliveries:
        return "it fails without any fault; no schedule with fewer redeliveries does"
    return "it fails without any fault or redelivery"


def _error_text(value: object) -> str:
    tree = decode(value) if isinstance(value, str) else None  # type: ignore[arg-type]
    if isinstance(tree, dict) and tree.get("$") == "error":
        return f"{tree.get('name')}: {tree.get('message')}"
    return f"{value}"
