"""Checking and replaying scenario files: loads the parts, wires them, spends the budget."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import TypeVar

from eutaxy._base.bounds import Bounds
from eutaxy._base.code import NewRead, Read
from eutaxy._base.record import Record
from eutaxy._base.scenario import DriverEvent, Scenario
from eutaxy._base.verdict import Verdict, Violation
from eutaxy._evidence.ledger import Discrepancy
from eutaxy._explore.token import name_print, read_token, replay_schedule
from eutaxy._hosts.node_trie import NodeTrie
from eutaxy._platform.workflows.profile import Engine, profile_named
from eutaxy._session.checker import Checker, Keyed
from eutaxy._session.hosts import LoadedHost, open_host, second_host
from eutaxy._session.ledger import (
    SAMPLE,
    Verified,
    check_is_of,
    execute_again,
    header_of,
    open_ledger,
    refuted,
    write_ledger,
)
from eutaxy._session.load import Loaded, load_scenario
from eutaxy._session.model import Model
from eutaxy._session.options import BrokenInvariant, CheckOptions, Replayed, with_options
from eutaxy._session.places import Places
from eutaxy._session.regressions.around import Regressions
from eutaxy._session.worker import Worker
from eutaxy._session.workers.start import searching_together
from eutaxy._session.workers.together import Together
from eutaxy._session.world_keys import WorldKeys
from eutaxy.errors import EutaxyError, ReplayError

T = TypeVar("T")

WITNESS_TIMES = 10
"""How often the code of a reported schedule is evaluated once more."""

WITNESSES_MAX = 5
"""Of how many reported schedules."""


def check(path: str, *, options: CheckOptions | None = None) -> Verdict:
    """Check the scenario in a file.

    Raises:
        ScenarioError: The scenario, its config or its Worker cannot be used.
        UnmodelledError: The Worker uses something that the model lacks.
        UnfaithfulError: The Worker is no pure function of what it observed.
        HostError: The process that runs the Worker failed.
    """
    asked = options if options is not None else CheckOptions()
    loaded = load_scenario(path, environment=asked.environment)
    scenario = with_options(loaded.scenario, asked)

    def work(host: LoadedHost) -> Verdict:
        regressions = Regressions(path, scenario, asked.profile or scenario.profile, asked)
        with searching_together(asked, loaded.functions) as together:
            checker = _checker(scenario, loaded, host, asked, together)
            verdict = regressions.verdict(checker)
        for each in (checker, regressions.aside):
            if each is not None:
                found = regressions.found if each is checker else ()
                _evaluate_again(each, loaded, host, found)
        loaded.functions.evaluate_again()
        regressions.save(checker)
        if asked.ledger:
            _write_ledger(checker, loaded, path, asked, verdict)
        return verdict

    verdict = _with_host(loaded, work)
    places = Places(loaded.worker)
    violations = tuple(
        replace(violation, trace=_placed(violation.trace, places))
        for violation in verdict.violations
    )
    suspicions = tuple(replace(each, place=places.shown(each.place)) for each in verdict.suspicions)
    return replace(verdict, violations=violations, suspicions=suspicions)


def replay(path: str, token: str, *, environment: str = "") -> Replayed:
    """Run one schedule of a scenario again, strictly.

    Args:
        path: The scenario file.
        token: The schedule.
        environment: The environment of the wrangler config that it was found in.

    Raises:
        ReplayError: The token is of another scenario, or does not fit the code any more.
    """
    schedule = read_token(token)
    loaded = load_scenario(path, environment=environment)
    scenario = loaded.scenario
    if schedule.scenario != name_print(scenario.name) or len(schedule.kept) != len(scenario.drive):
        raise ReplayError(
            f"replaying the token on scenario {scenario.name!r}",
            "the token was made for another scenario (or for another list of requests)",
            "give the scenario that the report was about",
        )
    kept = tuple(
        request for request, is_kept in zip(scenario.drive, schedule.kept, strict=True) if is_kept
    )
    bounds = replace(
        scenario.bounds,
        max_redeliveries=schedule.redeliveries_max,
        max_concurrent=schedule.concurrent_max,
    )
    return _with_host(loaded, lambda host: _replayed(host, loaded, bounds, kept, token))


def _replayed(
    host: LoadedHost,
    loaded: Loaded,
    bounds: Bounds,
    kept: tuple[DriverEvent, ...],
    token: str,
) -> Replayed:
    whole = replace(loaded.scenario, bounds=bounds)
    schedule = read_token(token)
    options = CheckOptions(profile=schedule.profile or "prod")
    checker = _checker(whole, loaded, host, options)

    def work() -> Replayed:
        # What the code reads and shares is learnt from the whole scenario first, as in the check.
        checker.prepared_model(is_timed=False)
        model = checker.model(replace(whole, drive=kept))
        trace = replay_schedule(model, schedule)
        return Replayed(
            scenario=whole.name,
            token=token,
            broken=tuple(
                BrokenInvariant(invariant=b.invariant, claim=b.claim) for b in model.claims(trace)
            ),
            trace=_placed(tuple(trace.records), Places(loaded.worker)),
        )

    return checker.with_reads(work)


def _checker(
    scenario: Scenario,
    loaded: Loaded,
    host: LoadedHost,
    options: CheckOptions,
    together: Together | None = None,
) -> Checker:
    def make_code(keyed: Keyed, *, is_factored: bool) -> NodeTrie:
        return NodeTrie(host, keyed, is_factored=is_factored)

    engine = _engine(loaded, options.profile or scenario.profile)
    return Checker(
        scenario, make_code, engine, options, functions=loaded.functions, together=together
    )


def _engine(loaded: Loaded, profile: str) -> Engine:
    worker = loaded.worker
    return Engine(
        profile=profile_named(profile),
        names={each.binding: each.name for each in worker.workflows},
        steps_max={
            each.binding: each.steps_max for each in worker.workflows if each.steps_max is not None
        },
        errors_are_enhanced=_is_on(worker, "enhanced_error_serialization", "2026-04-21"),
        non_retryable_message_kept=_is_on(
            worker, "workflows_preserve_non_retryable_error_message", "2026-05-14"
        ),
    )


def _is_on(worker: Worker, flag: str, since: str) -> bool:
    """Whether a compatibility flag is on, by name or by the Worker's date."""
    return flag in worker.flags or not worker.date or worker.date >= since


def _evaluate_again(
    checker: Checker, loaded: Loaded, host: LoadedHost, found: tuple[Violation, ...]
) -> None:
    """Ask everything again, and what was found so many times more."""
    code = checker.code
    assert isinstance(code, NodeTrie)
    with second_host(loaded, host) as second:
        code.evaluate_again(host=second)
        code.evaluate_often(lambda: _run_found(checker, found), second, WITNESS_TIMES)


def _run_found(checker: Checker, found: tuple[Violation, ...]) -> None:
    """Run some of the schedules that were found."""
    for violation in found[:WITNESSES_MAX]:
        schedule = read_token(violation.token)
        replay_schedule(checker.model_of(violation.kept, schedule), schedule)


def _write_ledger(
    checker: Checker, loaded: Loaded, path: str, asked: CheckOptions, verdict: Verdict
) -> None:
    """Write down what closes the search."""
    code, searched = checker.code, checker.searched
    assert isinstance(code, NodeTrie)
    assert searched is not None
    header = header_of(
        asked.ledger,
        loaded,
        path,
        verdict,
        environment=asked.environment,
        profile=asked.profile or loaded.scenario.profile,
        reads=checker.keyed,
        is_factored=checker.is_factored,
    )
    keys = WorldKeys(searched.model, code, is_factored=checker.is_factored)
    write_ledger(asked.ledger, header, searched.found, keys)


def verify(file: str, *, sample: int | None = SAMPLE, seed: str = "") -> Verified:
    """Check a ledger: by itself, and by executing some of it again on a fresh host.

    Args:
        file: The ledger.
        sample: How many choices to execute again; None for all.
        seed: Decides which.

    Raises:
        LedgerError: It is no ledger, or something in it does not hold.
        ScenarioError: The scenario that it is of cannot be used.
    """
    opened = open_ledger(file)
    header = opened.ledger.header
    loaded = load_scenario(opened.scenario_path, environment=header.environment)
    check_is_of(opened, loaded)
    scenario = replace(loaded.scenario, bounds=header.bounds)

    def work(host: LoadedHost) -> Verified:
        keyed = frozenset((program, Read(read)) for program, read in header.reads)
        code = NodeTrie(host, keyed, is_factored=header.is_factored)
        model = Model(scenario, code, _engine(loaded, header.profile), loaded.functions)
        keys = WorldKeys(model, code, is_factored=header.is_factored)
        try:
            rerun = execute_again(opened, model, keys, sample=sample, seed=seed)
        except NewRead as read:
            found = f"{read.program} reads {read.read.value}, which is no part of its worlds"
            raise refuted(file, Discrepancy("the header", found)) from None
        return Verified(opened, rerun.worlds, rerun.edges)

    return _with_host(loaded, work)


def _with_host(loaded: Loaded, work: Callable[[LoadedHost], T]) -> T:
    """Do something with the Worker's host; raw places in errors become the user's lines."""
    try:
        with closing(loaded.functions), open_host(loaded) as host:
            return work(host)
    except EutaxyError as error:
        error.place = Places(loaded.worker).shown(error.place)
        raise


def _placed(records: tuple[Record, ...], places: Places) -> tuple[Record, ...]:
    return tuple(
        replace(record, place=places.shown(record.place)) if record.place else record
        for record in records
    )
