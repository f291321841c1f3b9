"""Witnesses: for each broken invariant the smallest schedule, chosen by the seed, with fewest
events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from eutaxy._base.code import NewRead
from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Level, Violation
from eutaxy._explore.minimal import Way, WayFinder
from eutaxy._explore.path import EndlessRun, first_path
from eutaxy._explore.search import Found
from eutaxy._explore.trace import Trace, trace_of
from eutaxy._platform.workflows.profile import UNKNOWN, Engine, flipped
from eutaxy._platform.workflows.step_order import StepsTangled
from eutaxy._session.along import token_along
from eutaxy._session.claims import Broken
from eutaxy._session.explanation.explainer import Explainer
from eutaxy._session.model import Model
from eutaxy._session.one_by_one import plain_path

TIE_SALT = "eutaxy 10"
"""Part of the order among equally small violations; see docs/decisions/seed-order.md."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An equally small violation of one invariant."""

    invariant: str
    way: Way
    trace: Trace
    texts: tuple[str, ...]


class WitnessFinder:
    """Reports the violations of one search.

    Args:
        scenario: The declarations.
        engine: The Workflows engine.
        make_model: Gives a variant of the scenario as a graph of worlds.
        search: Searches a model up to so many faults and redeliveries.
        seed: Orders equally small violations.
        is_all: Report all of them.
        is_explaining: Say more about them than their cause.
    """

    def __init__(
        self,
        scenario: Scenario,
        engine: Engine,
        *,
        make_model: Callable[[Scenario, Engine], Model],
        search: Callable[[Model, int, int], Found],
        seed: str,
        is_all: bool,
        is_explaining: bool,
    ) -> None:
        self._explainer = Explainer(make_model, is_explaining=is_explaining)
        self._scenario = scenario
        self._engine = engine
        self._make_model = make_model
        self._search = search
        self._seed = seed
        self._is_all = is_all

    def violations(self, model: Model, found: Found) -> tuple[Violation, ...]:
        """One violation for each broken invariant; all minimal ones when all are asked for."""
        assert found.bad_level is not None
        names = {name for world in found.bad for name in self._broken_in(model, found, world)}
        declared = [each.name for each in self._scenario.invariants if each.name in names]
        # A built-in invariant speaks only when no declared one does.
        reported: list[Violation] = []
        for name in declared or sorted(names):
            candidates, is_all = self._candidates(model, found, name)
            chosen = candidates if self._is_all else candidates[:1]
            others = len(candidates) - 1
            count = others if is_all else -others
            reported += [self._report(each, found.bad_level, count) for each in chosen]
        return tuple(reported)

    def _broken_in(self, model: Model, found: Found, world: int) -> tuple[str, ...]:
        graph = found.graph
        is_resting = bool(graph.is_resting[world])
        names = model.broken_in(graph.worlds[world], is_resting=is_resting)
        if is_resting and model.needs_whole_traces and not model.is_bad(graph.worlds[world]):
            trace = trace_of(model, graph.path_to(world))
            names += tuple(each.invariant for each in model.trace_findings(trace))
        return names

    def _candidates(
        self, model: Model, found: Found, invariant: str
    ) -> tuple[list[_Candidate], bool]:
        """Violations that differ in their faults, in the order of the seed."""
        assert found.bad_level is not None
        graph = found.graph
        bad = [w for w in found.bad if invariant in self._broken_in(model, found, w)]
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
        broken = _broken_by(model, trace, candidate.invariant)
        assert broken is not None
        model, path = self._plain(scenario, model, way.choices)
        write = partial(token_along, self._scenario, scenario, self._engine.profile.name, model)
        violation = Violation(
            invariant=candidate.invariant,
            claim=broken.claim,
            faults=tuple(trace.faults),
            redelivered=tuple(trace.redelivered),
            kept=tuple(request.name for request in scenario.drive),
            token=write(path),
            certificate=_certificate(level),
            others=others,
            trace=tuple(trace.records),
            depends_on=self._depends_on(scenario, candidate, way, level),
        )
        return self._explainer.explained(violation, model, path, write)

    def _plain(
        self, scenario: Scenario, model: Model, path: tuple[int, ...]
    ) -> tuple[Model, tuple[int, ...]]:
        """The graph that a replay walks, and the path in it."""
        if not self._engine.one_by_one:
            return model, path
        plain = self._make_model(scenario, replace(self._engine, one_by_one=False))
        return plain, plain_path(model, plain, path)

    def _depends_on(
        self, scenario: Scenario, candidate: _Candidate, way: Way, level: Level
    ) -> tuple[str, ...]:
        """Unknown switches with whose other value the invariant holds in this level."""
        needed: list[str] = []
        for name in UNKNOWN:
            other = flipped(self._engine.profile, name)
            model = self._make_model(scenario, replace(self._engine, profile=other))
            if self._breaks(model, way, candidate.invariant):
                continue
            try:
                found = self._search(model, level.faults, level.redeliveries)
            except StepsTangled:
                continue
            is_same = any(
                candidate.invariant in self._broken_in(model, found, world) for world in found.bad
            )
            if not is_same and found.complete == level:
                value = str(getattr(self._engine.profile, name)).lower()
                needed.append(f"{name} = {value}")
        return tuple(needed)

    def _breaks(self, model: Model, way: Way, invariant: str) -> bool:
        """Whether the very same choices break the invariant in another model."""
        try:
            trace = trace_of(model, way.choices)
        except (IndexError, NewRead):
            return False
        return any(broken.invariant == invariant for broken in model.claims(trace))

    def _shrink(self, candidate: _Candidate, level: Level) -> tuple[Scenario, Model, Way]:
        """Fewest driver events: leave one out while the same faults still break the invariant."""
        scenario = self._scenario
        model, way = self._make_model(scenario, self._engine), candidate.way
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
        model = self._make_model(scenario, self._engine)
        try:
            found = self._search(model, level.faults, level.redeliveries)
        except StepsTangled:
            # What fewer events lead to cannot be taken one by one.
            return None
        if not found.bad or found.bad_level != level:
            return None
        bad = [
            world
            for world in found.bad
            if candidate.invariant in self._broken_in(model, found, world)
        ]
        original = self._make_model(self._scenario, self._engine)
        broken = _broken_by(
            original, trace_of(original, candidate.way.choices), candidate.invariant
        )
        assert broken is not None
        if level == Level(faults=0, redeliveries=0):
            # What is broken because an event is missing is another violation; of predicates,
            # nothing tells.
            is_new = _is_normally_broken(model) and not _is_normally_broken(original)
            if is_new or broken.reason is None:
                return None
        kinds = sorted(mark.fault.value + mark.effect for mark in candidate.trace.faults)
        for way in WayFinder(found.graph, bad, level.faults).ways().ways:
            trace = trace_of(model, way.choices)
            if sorted(mark.fault.value + mark.effect for mark in trace.faults) != kinds:
                continue
            now = _broken_by(model, trace, candidate.invariant)
            if now is not None and now.reason == broken.reason:
                return model, way
        return None


def _is_normally_broken(model: Model) -> bool:
    """Whether what normally happens breaks something, or never ends."""
    try:
        path = first_path(model)
    except EndlessRun:
        return True
    return bool(model.claims(trace_of(model, path)))


def _broken_by(model: Model, trace: Trace, invariant: str) -> Broken | None:
    """What a trace says of one invariant; None when it does not break it, or not in words."""
    return next((each for each in model.claims(trace) if each.invariant == invariant), None)


def _certificate(level: Level) -> str:
    if level.faults and level.redeliveries:
        return "no schedule with fewer faults fails, nor one with as many and fewer redeliveries"
    if level.faults:
        return "no schedule with fewer faults fails"
    if level.redeliveries:
        return "it fails without any fault; no schedule with fewer redeliveries does"
    return "it fails without any fault or redelivery"
