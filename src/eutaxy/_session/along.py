"""A violation along a known path, for schedules that no search has shown to be the smallest."""

from __future__ import annotations

from collections.abc import Sequence

from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import Violation
from eutaxy._explore.token import Schedule, name_print, prints_of, write_token
from eutaxy._explore.trace import trace_of
from eutaxy._platform.workflows.profile import PROD
from eutaxy._session.model import Model


def violation_along(
    whole: Scenario,
    run: Scenario,
    profile: str,
    model: Model,
    path: Sequence[int],
    *,
    certificate: str,
    wanted: str = "",
) -> Violation | None:
    """What a run breaks; None when it breaks nothing.

    Args:
        whole: The scenario as it is declared.
        run: The scenario of the run: its bounds, and the driver events that it keeps.
        profile: Name of the platform behaviour.
        model: The graph of the run.
        path: Its choices.
        certificate: What is known about smaller schedules.
        wanted: The invariant to speak of, when it is among those that are broken.
    """
    trace = trace_of(model, path)
    broken = sorted(model.claims(trace), key=lambda each: each.invariant != wanted)
    if not broken:
        return None
    kept = tuple(event.name for event in run.drive)
    token = token_along(whole, run, profile, model, path)
    return Violation(
        invariant=broken[0].invariant,
        claim=broken[0].claim,
        faults=tuple(trace.faults),
        redelivered=tuple(trace.redelivered),
        kept=kept,
        token=token,
        certificate=certificate,
        others=0,
        trace=tuple(trace.records),
    )


def token_along(
    whole: Scenario, run: Scenario, profile: str, model: Model, path: Sequence[int]
) -> str:
    """A path as a token; the arguments are those of `violation_along`."""
    kept = {event.name for event in run.drive}
    return write_token(
        Schedule(
            scenario=name_print(whole.name),
            kept=tuple(event.name in kept for event in whole.drive),
            redeliveries_max=run.bounds.max_redeliveries,
            concurrent_max=run.bounds.max_concurrent,
            profile="" if profile == PROD.name else profile,
            path=tuple(path),
            prints=prints_of(model, path),
        )
    )
