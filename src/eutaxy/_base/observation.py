"""What monitors are told: something that really happened."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.scenario import Seen
from eutaxy._base.value import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """An effect was applied (a deduplicated repetition is not), a step stored, a status changed ...

    Args:
        seen: The family.
        target: External or binding; empty for responses.
        operation: HTTP method, operation, step name, status, or name of the driver request.
        path: Path of the request, for requests and responses.
        view: What key paths look into (see `Seen`).
        shown: How the trace names it ("Fetch:payouts POST").
        origin: What code it came from, the same for every repetition of it: a step of an instance,
            or a
            driver request.
        is_unkeyed: For requests to a service that deduplicates: it carried no key.
    """

    seen: Seen
    target: str
    operation: str
    path: str
    view: Value
    shown: str
    origin: str = ""
    is_unkeyed: bool = False
