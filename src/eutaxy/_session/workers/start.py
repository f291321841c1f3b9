"""Which other processes a check searches with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec

from eutaxy._base.functions import ScenarioFunctions
from eutaxy._session.options import CheckOptions
from eutaxy._session.workers.together import Crew, Together
from eutaxy.errors import ScenarioError


@contextmanager
def searching_together(
    options: CheckOptions, functions: ScenarioFunctions
) -> Iterator[Together | None]:
    """The other processes of a check, which end with it; None when it is to search alone.

    Raises:
        ScenarioError: A Dask cluster is asked for and cannot be used.
    """
    if options.dask:
        # At once: whoever names a cluster wants to know whether it is there.
        with closing(_cluster(options.dask)) as cluster:
            yield Together(lambda: cluster, functions)
    elif options.workers == 1 or options.ledger:
        yield None
    else:
        with closing(Together(lambda: _processes(options.workers), functions)) as together:
            yield together


def _processes(count: int) -> Crew:
    # Late: most checks end before they need any of it.
    from eutaxy._session.workers.processes import Processes  # noqa: PLC0415

    return Processes(count)


def _cluster(address: str) -> Crew:
    if find_spec("distributed") is None:
        raise ScenarioError(
            f"searching on the Dask cluster {address}",
            "Dask is not installed here",
            "install the extra: pip install 'eutaxy[dask]'",
        )
    from eutaxy._session.workers.dask_cluster import DaskCluster  # noqa: PLC0415 - it is large

    return DaskCluster(address)
