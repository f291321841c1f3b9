"""The driver: hands the scenario's requests over, in order, and again as far as redeliveries allow.

Theory: a driver event that names no time comes a second after the previous one. That is its pace
when nothing else is under way; while an invocation is under way and another may run beside it
(`maxConcurrentInvocations`), the next event may come at any moment of it. An event with a time of
its own comes at that time. Any request that was started may be delivered again at any later moment
(CL1): a client's retry after a failure and a spontaneous duplicate are the same move.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from eutaxy._base.scenario import HttpRequest
from eutaxy._platform.requests.messages import Begin, Ended
from eutaxy._world.component import Address, Choice, Gate, Local, Step

DRIVER: Address = ("driver",)


@dataclass(frozen=True, slots=True)
class DriverState:
    """Where the driver stands.

    Args:
        next_index: The next request to hand over.
        left_ms: Virtual time until it is due.
        redeliveries_left: Redeliveries that may still happen.
        in_flight: (request index, copy) of deliveries under way; copies are numbered from the
            lowest
            free number, so that equal situations are equal states.
        counts: Deliveries of each request so far; kept only where code reads randomness.
        now_ms: Virtual time; kept only where code reads the clock.
    """

    next_index: int
    left_ms: int
    redeliveries_left: int
    in_flight: tuple[tuple[int, int], ...] = ()
    counts: tuple[int, ...] = ()
    now_ms: int = 0


@dataclass(frozen=True, slots=True)
class Deliver:
    """Choice: hand over a request (again)."""

    index: int
    is_again: bool = False


class Driver:
    """The component that plays the outside.

    Args:
        requests: What it hands over, in order.
        redeliveries_max: Most redeliveries in one schedule.
        has_clock: Whether virtual time is part of the state.
        has_random: Whether the number of deliveries is part of the state.
    """

    def __init__(
        self,
        requests: tuple[HttpRequest, ...],
        *,
        redeliveries_max: int,
        has_clock: bool,
        has_random: bool,
    ) -> None:
        self._requests = requests
        self._redeliveries_max = redeliveries_max
        self._has_clock = has_clock
        self._has_random = has_random

    def initial(self) -> Local:
        """Nothing handed over; the first request is due at once unless it names a time."""
        return DriverState(
            next_index=0,
            left_ms=self._pause_before(0),
            redeliveries_left=self._redeliveries_max,
            counts=(0,) * len(self._requests) if self._has_random else (),
        )

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """The next request, when due (or overlapping); every started request again."""
        assert isinstance(local, DriverState)
        choices: list[Choice] = []
        if local.next_index < len(self._requests):
            deliver = Deliver(local.next_index)
            if local.left_ms == 0:
                choices.append(Choice(deliver, gate=Gate.START))
            elif not self._requests[local.next_index].has_time:
                choices.append(Choice(deliver, gate=Gate.OVERLAP))
        if local.redeliveries_left:
            choices += [
                Choice(Deliver(index, is_again=True), gate=Gate.AGAIN)
                for index in range(local.next_index)
            ]
        return tuple(choices)

    def is_running(self, local: Local) -> bool:
        """Never: the driver runs no user code."""
        return False

    def next_timer(self, local: Local) -> int | None:
        """Time until the next request."""
        assert isinstance(local, DriverState)
        return local.left_ms if local.next_index < len(self._requests) else None

    def tick(self, local: Local, ms: int) -> Local:
        """Time passes."""
        assert isinstance(local, DriverState)
        now = local.now_ms + ms if self._has_clock else 0
        return replace(local, left_ms=max(0, local.left_ms - ms), now_ms=now)

    def on(self, local: Local, message: Hashable) -> Step:
        """Hand over a request, or note that a delivery has ended."""
        assert isinstance(local, DriverState)
        if isinstance(message, Ended):
            left = tuple(each for each in local.in_flight if each != (message.index, message.copy))
            return Step(replace(local, in_flight=left))
        assert isinstance(message, Deliver)
        index = message.index
        taken = {copy for at, copy in local.in_flight if at == index}
        copy = next(number for number in range(len(taken) + 1) if number not in taken)
        counts = local.counts
        if counts:
            counts = (*counts[:index], counts[index] + 1, *counts[index + 1 :])
        after = replace(
            local,
            in_flight=tuple(sorted((*local.in_flight, (index, copy)))),
            counts=counts,
        )
        if message.is_again:
            after = replace(after, redeliveries_left=local.redeliveries_left - 1)
        else:
            after = replace(
                after,
                next_index=index + 1,
                left_ms=self._pause_before(index + 1),
            )
        number = counts[index] if counts else 0
        to = request_address(self._requests[index].name, copy)
        return Step(after, ((to, Begin(index, copy, number, local.now_ms)),))

    def _pause_before(self, index: int) -> int:
        if index >= len(self._requests):
            return 0
        request = self._requests[index]
        return 0 if index == 0 and not request.has_time else request.after_ms


def request_address(name: str, copy: int) -> Address:
    """Address of one delivery of a request."""
    return ("request", name, str(copy))
