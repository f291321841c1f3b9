"""Which other processes a check searches with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from eutaxy._base.functions import ScenarioFunctions
from eutaxy._session.options import CheckOptions
from eutaxy._session.workers.cores import usable_cores
from eutaxy._session.workers.together import Crew, Together


@contextmanager
def searching_together(
    options: CheckOptions, functions: ScenarioFunctions
) -> Iterator[Together | None]:
    """The other processes of a check, which end with it; None when it is to search alone."""
    count = usable_cores() if options.workers is None else options.workers
    if count == 1:
        yield None
        return

    def start() -> Crew:
        # Late: most checks end before they need any of it.
        from eutaxy._session.workers.processes import Processes  # noqa: PLC0415

        return Processes(count)

    with closing(Together(start, functions)) as together:
        yield together
