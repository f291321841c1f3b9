"""Partitions in processes of this machine, each with an executor of its own."""

from __future__ import annotations

import multiprocessing
import signal
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor


def _begin() -> None:
    """Leave an interrupt from the keyboard to the process that reports."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _load() -> None:
    """Import what the first call will need."""
    import eutaxy._session.workers.replica  # noqa: PLC0415 - that is the point
    import eutaxy._session.workers.seat  # noqa: F401, PLC0415 - likewise


class Processes:
    """So many child processes.

    They are spawned, not forked: a forked one would share pipes with the hosts of this one.

    Args:
        count: How many.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._executors = [_executor() for _ in range(count)]
        self._loading: list[Future[None]] = [each.submit(_load) for each in self._executors]

    @property
    def is_ready(self) -> bool:
        """Whether all of them have started."""
        return all(future.done() for future in self._loading)

    def executor(self, partition: int) -> Executor:
        """The process of a partition."""
        return self._executors[partition]

    def replace(self, partition: int) -> None:
        """Start another process for a partition."""
        self._executors[partition].shutdown(wait=False)
        self._executors[partition] = _executor()

    def is_gone(self, partition: int) -> bool:
        """Never told in silence: a process that ends breaks its executor."""
        return False

    def is_loss(self, error: BaseException) -> bool:
        """Whether an error says that a process has ended."""
        return isinstance(error, BrokenExecutor)

    def close(self) -> None:
        """End all of them."""
        for executor in self._executors:
            executor.shutdown(cancel_futures=True)


def _executor() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_begin)
