"""Partitions in the workers of a Dask cluster. Imported only when one is asked for.

Each partition has one worker, through an executor that is tied to it. The workers need eutaxy in
the same version, and nothing else: no Node, no files of the user.
"""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

from distributed import Client, KilledWorker
from distributed.comm.addressing import get_address_host_port

from eutaxy._session.workers.identity import Identity, identity
from eutaxy._session.workers.seat import run_packed
from eutaxy.errors import HostError, ScenarioError

CONNECTING_S = 10
"""Seconds in which the scheduler must answer."""


class DaskCluster:
    """The workers that a scheduler has when the check begins.

    Args:
        address: Address of the scheduler.

    Raises:
        ScenarioError: It cannot be reached, has no workers, or they have another eutaxy.
    """

    is_ready = True

    def __init__(self, address: str) -> None:
        self._address = address
        self._doing = f"searching on the Dask cluster {address}"
        self._client = self._connected()
        try:
            self._workers = self._living()
            self._refuse_unfit()
        except BaseException:
            self.close()
            raise
        self.count = len(self._workers)

    def executor(self, partition: int) -> Executor:
        """The worker of a partition."""
        return self._executor(self._workers[partition])

    def replace(self, partition: int) -> None:
        """Give a partition the worker that has fewest, of those that are left.

        Raises:
            HostError: None is left.
        """
        living = self._living()
        if not living:
            raise HostError(
                self._doing,
                "its last worker has ended before the search",
                "start workers again, or leave out --dask",
            )
        load = Counter(self._workers)
        self._workers[partition] = min(living, key=lambda each: (load[each], each))

    def is_gone(self, partition: int) -> bool:
        """Whether the scheduler has lost the worker of a partition."""
        return self._workers[partition] not in self._living()

    def is_loss(self, error: BaseException) -> bool:
        """Whether an error says that a worker has ended."""
        return isinstance(error, KilledWorker | CancelledError)

    def close(self) -> None:
        """Leave the cluster; it goes on without us."""
        self._client.close()  # type: ignore[no-untyped-call]

    def _connected(self) -> Client:
        try:
            get_address_host_port(self._address, strict=True)
            return Client(  # type: ignore[no-untyped-call]
                self._address, timeout=CONNECTING_S, set_as_default=False
            )
        except ValueError as error:
            found = f"that is no address of a scheduler: {error}"
        except OSError as error:
            found = f"its scheduler does not answer: {error}"
        raise ScenarioError(
            self._doing,
            found,
            "correct the address (tcp://host:8786), start a scheduler, or leave out --dask",
        )

    def _living(self) -> list[str]:
        try:
            return sorted(self._client.nthreads())  # type: ignore[no-untyped-call]
        except OSError as error:
            raise HostError(
                self._doing,
                f"its scheduler does not answer any more: {error}",
                "check again when it does, or leave out --dask",
            ) from None

    def _executor(self, worker: str) -> Executor:
        options = {"workers": [worker], "allow_other_workers": False, "pure": False}
        return _Packing(self._client.get_executor(**options))  # type: ignore[no-untyped-call]

    def _refuse_unfit(self) -> None:
        if not self._workers:
            raise ScenarioError(
                self._doing, "it has no workers", f"start some: dask worker {self._address}"
            )
        mine = identity()
        asked = {each: self._executor(each).submit(identity) for each in self._workers}
        for worker, future in asked.items():
            try:
                theirs = future.result()
            except Exception as error:  # noqa: BLE001 - whatever is missing there
                raise self._other(worker, f"cannot run eutaxy {mine.version}: {error}") from None
            if theirs != mine:
                raise self._other(worker, f"has {_shown(theirs)}, but this is {_shown(mine)}")

    def _other(self, worker: str, found: str) -> ScenarioError:
        return ScenarioError(
            self._doing,
            f"the worker {worker} {found}",
            "install the same version of eutaxy for the scheduler and all workers",
        )


class _Packing(Executor):
    """Sends calls as bytes: Dask would look into them for what it could compute by itself."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(
        self,
        fn: Callable[..., Any],
        /,
        *args: Any,  # noqa: ANN401 - as the class it derives from
        **kwargs: Any,  # noqa: ANN401
    ) -> Future[Any]:
        """Run a function there."""
        assert not kwargs
        with warnings.catch_warnings():
            # A partition that is built again gets all of its calls at once.
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self._executor.submit(run_packed, pickle.dumps((fn, args)))


def _shown(which: Identity) -> str:
    return f"{which.version} (source {which.source})"
