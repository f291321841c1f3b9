"""Partitions in other processes: sending them calls, and building lost ones again.

A partition lives where an `Executor` runs its calls. All calls that a partition has got are kept,
so when its process is gone, another one gets them all again and comes to the same state: what it
sent to others before needs no repeating.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from eutaxy._base.verdict import Level
from eutaxy._explore.partition import Division
from eutaxy._explore.search import Limits

Told: TypeAlias = bytes
"""Ways to worlds of another partition, packed: (number under which a stub was sent to it, ways)."""

RESTARTS_MAX = 5
"""How often one partition may be lost."""

POLL_S = 0.5
"""Seconds after which a silent place is looked at."""


@dataclass(frozen=True, slots=True)
class Open:
    """Make a partition.

    Args:
        make: Makes what the searching process needs; says nothing to this package.
        limits: Where the search ends.
        division: Which share of the worlds.
    """

    make: object
    limits: Limits
    division: Division


@dataclass(frozen=True, slots=True)
class Advance:
    """Expand worlds of a level: `Partition.advance`, after some answers."""

    level: Level
    inbound: tuple[tuple[int, bytes], ...]
    worlds_max: int
    answers: tuple[tuple[Hashable, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """Count schedules: one round of `tally.Tallying.tally`.

    Args:
        faults: The faults of the schedules that are counted.
        round: Number of the round, from 0.
        inbound: What others have told: (sender, ways).
        is_last: Whether no schedules with more faults are counted.
    """

    faults: int
    round: int
    inbound: tuple[tuple[int, Told], ...]
    is_last: bool


@dataclass(frozen=True, slots=True)
class Tallied:
    """What a round of counting came to.

    Args:
        out: For other partitions: (owner, ways).
        ended: Ways that end as schedules here.
        left: Worlds that still wait, when nothing is told to others any more.
    """

    out: tuple[tuple[int, Told], ...]
    ended: int
    left: int


@dataclass(frozen=True, slots=True)
class Collect:
    """Hand over the graph: a `gather.Share`."""


@dataclass(frozen=True, slots=True)
class Remember:
    """Hand over what was told beside the worlds: a `Remembered`."""


@dataclass(frozen=True, slots=True)
class Close:
    """Forget the partition."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The answer of a process that does not have the partition, or not after as many calls."""


Call: TypeAlias = Open | Advance | Tally | Collect | Remember | Close

Serve: TypeAlias = Callable[[str, int, int, tuple[Call, ...]], object]
"""Runs calls where a partition lives and gives the result of the last.

Args: name of the search, number of the partition, how many calls it must have got before (0: it is
made anew), the calls.
"""


class Lost(Exception):
    """A partition was lost more than `RESTARTS_MAX` times."""


class Places(Protocol):
    """Where partitions live."""

    def executor(self, partition: int) -> Executor:
        """The executor all of whose calls go to one process."""
        ...

    def replace(self, partition: int) -> None:
        """Give a partition another process, because its own is gone."""
        ...

    def is_gone(self, partition: int) -> bool:
        """Whether the process of a partition is known to be gone."""
        ...

    def is_loss(self, error: BaseException) -> bool:
        """Whether an error of a call says that the process is gone."""
        ...


class Team:
    """All partitions of one search.

    Args:
        name: Name of the search, different from that of any other.
        count: Number of partitions.
        places: Where they live.
        serve: What runs there.
    """

    def __init__(self, name: str, count: int, places: Places, serve: Serve) -> None:
        self.count = count
        self._name = name
        self._places = places
        self._serve = serve
        self._logs: list[list[Call]] = [[] for _ in range(count)]
        self._restarts = [0] * count
        self._running: dict[int, Future[object]] = {}

    def send(self, partition: int, call: Call) -> None:
        """Send a call to a partition that has answered the one before."""
        assert partition not in self._running
        log = self._logs[partition]
        log.append(call)
        self._submit(partition, len(log) - 1, (call,))

    def receive(self) -> tuple[int, object]:
        """Wait for the next answer of any partition, and say whose it is.

        Raises:
            Lost: A partition cannot be kept alive.
        """
        assert self._running
        while True:
            waited = wait(self._running.values(), timeout=POLL_S, return_when=FIRST_COMPLETED)
            for partition, future in self._running.items():
                if not future.done():
                    if not waited.done and self._places.is_gone(partition):
                        self._again(partition)
                        break
                    continue
                error = _error_of(future)
                if error is not None and not self._places.is_loss(error):
                    raise error
                if error is not None or isinstance(future.result(), Gone):
                    self._again(partition)
                    break
                del self._running[partition]
                return partition, future.result()

    def ask(self, call: Call) -> list[object]:
        """Send all partitions the same call, and give their answers in order."""
        for partition in range(self.count):
            self.send(partition, call)
        answers: list[object] = [None] * self.count
        for _ in range(self.count):
            partition, answer = self.receive()
            answers[partition] = answer
        return answers

    @property
    def busy(self) -> frozenset[int]:
        """The partitions whose answers have yet to come."""
        return frozenset(self._running)

    def close(self) -> None:
        """Forget all partitions; nothing is waited for."""
        for partition, log in enumerate(self._logs):
            if log and not self._places.is_gone(partition):
                self._submit(partition, len(log), (Close(),))
        self._running.clear()

    def _submit(self, partition: int, done: int, calls: tuple[Call, ...]) -> None:
        try:
            executor = self._places.executor(partition)
            future = executor.submit(self._serve, self._name, partition, done, calls)
        except Exception as error:
            if not self._places.is_loss(error):
                raise
            future = Future()
            future.set_exception(error)
        self._running[partition] = future

    def _again(self, partition: int) -> None:
        """Build a lost partition again by repeating its calls."""
        self._restarts[partition] += 1
        if self._restarts[partition] > RESTARTS_MAX:
            raise Lost
        self._running[partition].cancel()
        self._places.replace(partition)
        self._submit(partition, 0, tuple(self._logs[partition]))


def _error_of(future: Future[object]) -> BaseException | None:
    """The error that a call has ended with; also that it was cancelled."""
    try:
        return future.exception()
    except BaseException as error:  # noqa: BLE001 - a cancelled call raises what its executor likes
        return error
