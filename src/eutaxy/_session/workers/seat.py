"""What runs in the processes that search: partitions, kept from one call to the next."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Protocol

from eutaxy._explore.gather import share_of
from eutaxy._explore.partition import Divisible, Partition
from eutaxy._explore.tally import Tallying
from eutaxy._explore.team import Advance, Call, Close, Collect, Gone, Open, Remember, Tally


class Learner(Protocol):
    """What is told the answers of user code."""

    def learn(self, answers: Iterable[tuple[Hashable, object]]) -> None:
        """Be told answers."""
        ...


class Maker(Protocol):
    """Makes a graph in this process."""

    def __call__(self) -> tuple[Divisible, Learner]:
        """The graph, and what is to be told answers."""
        ...


@dataclass(slots=True)
class _Seat:
    """One partition; `done` counts the calls that it has got."""

    system: Divisible
    learner: Learner
    partition: Partition
    done: int = 0
    tallying: Tallying | None = None


_SEATS: dict[tuple[str, int], _Seat] = {}
"""The partitions that this process has, by search and number."""


def serve(search: str, number: int, done: int, calls: tuple[Call, ...]) -> object:
    """Run calls on a partition, in order.

    Args:
        search: Name of the search.
        number: Number of the partition.
        done: Calls that it must have got before; 0 makes it anew.
        calls: What to do now.

    Returns:
        What the last call gave; `Gone` when there is no such partition here.
    """
    key = (search, number)
    if done == 0:
        _SEATS.pop(key, None)
    seat = _SEATS.get(key)
    if done and (seat is None or seat.done != done):
        return Gone()
    result: object = None
    for call in calls:
        result = _run(key, call)
    # Worlds hold no cycles, so looking for some among millions of them is time lost.
    if _SEATS:
        gc.disable()
    else:
        gc.enable()
    return result


def run_packed(packed: bytes) -> object:
    """Call a function of eutaxy, given with its arguments as bytes."""
    function, arguments = pickle.loads(packed)  # noqa: S301 - from our own kind
    result: object = function(*arguments)
    return result


def _run(key: tuple[str, int], call: Call) -> object:
    if isinstance(call, Open):
        make = call.make
        assert callable(make)
        system, learner = make()
        _SEATS[key] = _Seat(system, learner, Partition(system, call.limits, call.division), 1)
        return None
    if isinstance(call, Close):
        _SEATS.pop(key, None)
        return None
    seat = _SEATS[key]
    seat.done += 1
    match call:
        case Advance(level, inbound, worlds_max, answers):
            seat.learner.learn(answers)
            return seat.partition.advance(level, inbound, worlds_max)
        case Tally():
            seat.tallying = seat.tallying or Tallying(seat.partition)
            return seat.tallying.tally(call)
        case Collect():
            return share_of(seat.partition, seat.system)
        case Remember():
            return seat.system.remembered()
