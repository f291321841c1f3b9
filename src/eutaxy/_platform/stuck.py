"""What has not ended although nothing more will happen: the built-in invariant `stuck`."""

from __future__ import annotations

from eutaxy._platform.requests.request import RequestState
from eutaxy._platform.workflows.state import BODY, Instance, Status
from eutaxy._world.component import Address, Local

ENDED_OR_PAUSED = (Status.COMPLETE, Status.ERRORED, Status.TERMINATED, Status.PAUSED)


def stuck_claims(locals_of: list[tuple[Address, Local]]) -> list[str]:
    """Sentences about what never ends, in a world at rest.

    A paused instance is not stuck: it waits for whoever paused it.
    """
    claims: list[str] = []
    for address, local in locals_of:
        if isinstance(local, RequestState):
            claims.append(
                f"{address[1]} is never answered: it waits for a promise that nothing settles"
            )
        elif isinstance(local, Instance) and local.status not in ENDED_OR_PAUSED:
            name = f"workflow:{address[1]}:{address[2]}"
            claims.append(f"{name} never ends: it waits for {_waits_for(local)}")
    return claims


def _waits_for(local: Instance) -> str:
    if local.live is None:
        return f"an engine that does not start (status {local.status.value})"
    if local.live.runs:
        return f"step {local.live.runs[0].key}, whose callback never ends"
    if BODY in dict(local.live.fibers):
        return "a promise in run() that nothing settles"
    return "callbacks that never end"
