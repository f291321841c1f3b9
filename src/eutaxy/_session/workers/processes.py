"""Partitions in processes of this machine, each with an executor of its own."""

from __future__ import annotations

import multiprocessing
import signal
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.process import BaseProcess


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
        self._children: list[BaseProcess] = []
        self._loading: list[Future[None]] = []
        self._executors = [self._started() for _ in range(count)]

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
        self._executors[partition] = self._started()

    def is_gone(self, partition: int) -> bool:
        """Never told in silence: a process that ends breaks its executor."""
        return False

    def is_loss(self, error: BaseException) -> bool:
        """Whether an error says that a process has ended."""
        return isinstance(error, BrokenExecutor)

    def close(self) -> None:
        """End all of them at once: a short search must not wait for their start."""
        for child in self._children:
            child.kill()
        for executor in self._executors:
            executor.shutdown(cancel_futures=True)

    def _started(self) -> Executor:
        """Start a process, without waiting for it."""
        before = multiprocessing.active_children()
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_begin)
        self._loading.append(executor.submit(_load))
        self._children += [each for each in multiprocessing.active_children() if each not in before]
        return executor
