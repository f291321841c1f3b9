"""What a caller of a check may ask for, beyond what the scenario says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from eutaxy._base.bounds import BUDGET_MAX_MS, COUNT_MAX
from eutaxy._base.record import Record
from eutaxy._base.scenario import Scenario
from eutaxy._session.watch import Watch

WORKERS_MAX = 256
"""Most processes that a check may use."""


class UseOfRegressions(Enum):
    """What to do with the schedules that are saved beside the scenario."""

    FIRST = "first"
    """Try them, then search."""
    ONLY = "only"
    """Try them, and nothing else."""
    OFF = "off"
    """Leave them alone."""


SAMPLES_MAX = 1_000_000
"""Most schedules that may be drawn; time ends it much earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Options of one check; None keeps what the scenario says.

    Args:
        seed: Orders the search within a level; None means the name of the scenario.
        is_all: Report every minimal violation, not one for each invariant.
        is_explaining: Say more about violations: the nearest schedule that passes.
        is_strict: Treat a level that is not complete as inconclusive.
        budget_ms: Wall-clock milliseconds that the search may spend.
        max_faults: Most faults in one schedule.
        max_redeliveries: Most redeliveries of driver events in one schedule.
        max_concurrent: Most invocations of user code under way at once.
        environment: Name of the environment of the wrangler config; empty for its top level.
        profile: Platform behaviour: "prod", or a version of the local engine.
        dask: Address of the scheduler of a Dask cluster, whose workers search then; empty for none.
        workers: Processes that may search; 1 for this one alone. More of them run the main module
            of the program again (they are spawned), so it must be guarded by `__name__`.
        regressions: What to do with schedules that are saved beside the scenario.
        is_saving: Save there what is found.
        watch: Sees the progress and may end the search early; no part of what is asked.
        ledger: File for what closes the search; empty for none. Every order is then searched, by
            this process alone.
        samples: Schedules to draw at random beyond what was covered.
        is_one_by_one: Take steps beside each other one by one, where they seem to share nothing.
        is_reducing: Let one order stand for all where driver events share nothing.
    """

    seed: str | None = None
    is_all: bool = False
    is_explaining: bool = False
    is_strict: bool = False
    budget_ms: int | None = None
    max_faults: int | None = None
    max_redeliveries: int | None = None
    max_concurrent: int | None = None
    environment: str = ""
    profile: str | None = None
    dask: str = ""
    workers: int = 1
    regressions: UseOfRegressions = UseOfRegressions.FIRST
    is_saving: bool = False
    watch: Watch = field(default_factory=Watch, compare=False, repr=False)
    is_reducing: bool = True
    is_one_by_one: bool = False
    samples: int = 0
    ledger: str = ""

    def __post_init__(self) -> None:
        assert 1 <= self.workers <= WORKERS_MAX
        assert 0 <= self.samples <= SAMPLES_MAX
        assert self.budget_ms is None or 1 <= self.budget_ms <= BUDGET_MAX_MS
        assert self.max_faults is None or 0 <= self.max_faults <= COUNT_MAX
        assert self.max_redeliveries is None or 0 <= self.max_redeliveries <= COUNT_MAX
        assert self.max_concurrent is None or 1 <= self.max_concurrent <= COUNT_MAX


def with_options(scenario: Scenario, options: CheckOptions) -> Scenario:
    """The scenario with the bounds that the caller asked for."""
    bounds = scenario.bounds

    def pick(asked: int | None, said: int) -> int:
        return said if asked is None else asked

    return replace(
        scenario,
        bounds=replace(
            bounds,
            max_faults=pick(options.max_faults, bounds.max_faults),
            max_redeliveries=pick(options.max_redeliveries, bounds.max_redeliveries),
            max_concurrent=pick(options.max_concurrent, bounds.max_concurrent),
            budget_ms=pick(options.budget_ms, bounds.budget_ms),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenInvariant:
    """An invariant that a replayed schedule breaks, with what happened ("... (seq 15 and 22)")."""

    invariant: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What one schedule does when it is run again.

    Args:
        scenario: Name of the scenario.
        token: The schedule, as it was given.
        broken: The invariants that it breaks, in the order of the scenario.
        trace: All records of the run.
    """

    scenario: str
    token: str
    broken: tuple[BrokenInvariant, ...]
    trace: tuple[Record, ...]
