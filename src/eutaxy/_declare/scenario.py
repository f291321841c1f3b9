"""The scenario as a whole, what it sets up, and its bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eutaxy._declare.notes import declared
from eutaxy._declare.types import (
    BoundsGiven,
    Drive,
    Duration,
    External,
    Invariant,
    ScenarioGiven,
    Setup,
    WorkerFiles,
)


def define_scenario(
    *,
    name: str,
    worker: WorkerFiles,
    drive: Drive | Sequence[Drive],
    invariants: Sequence[Invariant] = (),
    without: Sequence[str] = (),
    silenced: Sequence[str] = (),
    setup: Sequence[Setup] = (),
    externals: Sequence[External] = (),
    bounds: BoundsGiven | None = None,
    downtime: Duration | None = None,
    profile: str | None = None,
) -> ScenarioGiven:
    """Declare the scenario of this file.

    Args:
        name: As printed; also the default seed.
        worker: The Worker under check.
        drive: What the outside does, in order.
        invariants: Claims to check, besides those that are built in.
        without: Names of built-in invariants that are switched off.
        silenced: Rules whose suspicions are not reported ("R-RUN-3").
        setup: The Workflows that the scenario uses.
        externals: The outside services that the Worker reaches.
        bounds: What to explore and for how long; None means the defaults.
        downtime: Virtual time until a crashed activation comes back: milliseconds or text such as
            "5 seconds"; None means one second.
        profile: Platform behaviour: "prod", or a version of the local engine; None means "prod".
    Example:
        See the top of `eutaxy.cloudflare`.
    """
    return ScenarioGiven(
        declared(
            "scenario",
            given={
                "name": name,
                "worker": worker,
                "setup": setup,
                "drive": drive,
                "externals": externals,
                "invariants": invariants,
                "without": without,
                "silenced": silenced,
                "bounds": bounds,
                "downtime": downtime,
                "profile": profile,
            },
        )
    )


def workflow(
    binding: str, class_name: str, *, may_fail: bool = False, next_class: str | None = None
) -> Setup:
    """Name a Workflow that the scenario uses.

    Args:
        binding: Name of its binding in the wrangler config ("APPROVALS").
        class_name: The class that its instances run.
        may_fail: Instances may end errored in the run without faults, which is refused otherwise.
        next_class: The class that they run after a deploy; `faults` of the bounds then names
            "deployed".
    Example:
        >>> setup = [workflow("APPROVALS", "ExpenseApproval")]
    """
    options: dict[str, object] = {"mayFail": may_fail}
    if next_class is not None:
        options["nextClass"] = next_class
    return Setup(declared("workflow", binding=binding, className=class_name, options=options))


def bounds(
    *,
    max_faults_per_run: int | None = None,
    max_redeliveries: int | None = None,
    max_concurrent_invocations: int | None = None,
    budget_ms: int | None = None,
    faults: Mapping[str, int] | None = None,
    faults_at: Mapping[str, int | Mapping[str, int]] | None = None,
) -> BoundsGiven:
    """Say what to explore, and for how long at most; None keeps the default.

    Args:
        max_faults_per_run: Most faults in one schedule (1).
        max_redeliveries: Most redeliveries of driver events in one schedule (1).
        max_concurrent_invocations: Most invocations of the Worker under way at once (1).
        budget_ms: Wall-clock milliseconds that the search may spend (10 000).
        faults: Most faults of one kind in one schedule, by name: `{"crash": 1, "answer_lost": 0}`.
            Optional kinds, such as "queued_long", strike only where they are named.
        faults_at: The same for single externals and bindings, by name; a number counts all kinds:
            `{"payouts": 1, "APPROVALS": {"crash": 0}}`.
    Example:
        >>> limits = bounds(max_faults_per_run=2, budget_ms=60_000)
    """
    return BoundsGiven(
        declared(
            "bounds",
            maxFaultsPerRun=max_faults_per_run,
            maxRedeliveries=max_redeliveries,
            maxConcurrentInvocations=max_concurrent_invocations,
            budgetMs=budget_ms,
            faults=faults,
            faultsAt=faults_at,
        )
    )
