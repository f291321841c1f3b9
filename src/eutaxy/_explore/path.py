"""Walking one path through a system: the first one, and a given one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from eutaxy._explore.graph import Explorable
from eutaxy._world.world import Option, World

STEPS_MAX = 100_000
"""Longest run that is walked; a longer one is reported as endless."""


class EndlessRun(Exception):
    """The fault-free run did not come to rest within `STEPS_MAX` steps, or in time.

    Args:
        steps: How many it took.
    """

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self.steps = steps


def first_path(
    system: Explorable, *, is_out_of_time: Callable[[], bool] = lambda: False
) -> tuple[int, ...]:
    """The fault-free run: always the first choice, which is what normally happens.

    Args:
        system: The graph.
        is_out_of_time: Asked before each step; ends the run.

    Raises:
        EndlessRun: It does not come to rest.
    """
    path: list[int] = []
    world = system.initial
    while True:
        options = system.choices(world)
        number = next(
            (at for at, option in enumerate(options) if not option.faults | option.redeliveries),
            None,
        )
        if number is None or system.is_bad(world):
            return tuple(path)
        if len(path) >= STEPS_MAX or is_out_of_time():
            raise EndlessRun(len(path))
        path.append(number)
        world = system.step(world, options[number])


def walk(system: Explorable, path: Sequence[int]) -> Iterator[tuple[World, Option]]:
    """The worlds along a path, each with the choice taken in it.

    Raises:
        IndexError: A world has no choice of that number; worlds before it were given.
    """
    world = system.initial
    for number in path:
        option = system.choices(world)[number]
        yield world, option
        world = system.step(world, option)
