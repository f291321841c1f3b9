"""frontrun on the race: its partial-order reduction without a bound of preemptions."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

import frontrun
from race import SHAPES, Clock, Shared, budget_s, task, tell


def search(tasks: int, effects: int, *, is_planted: bool, is_apart: bool = False) -> None:
    clock = Clock()

    async def explore() -> frontrun.InterleavingResult:
        return await frontrun.explore(
            setup=Shared,
            workers=[
                task(number, tasks, effects, is_planted=is_planted, is_apart=is_apart)
                for number in range(tasks)
            ],
            invariant=lambda shared: shared.balance == tasks,
            preemption_bound=None,
            total_timeout=budget_s(),
            reproduce_on_failure=0,
        )

    result = asyncio.run(explore())
    took = clock()
    tell(
        tool=f"frontrun {version('frontrun')}",
        shape=[tasks, effects],
        planted=is_planted,
        found=result.property_holds is False,
        schedules=result.num_explored,
        distinct=result.num_explored,
        exhaustive=not is_planted and took < budget_s(),
        seconds=took,
        note="DPOR, other effects apart" if is_apart else "DPOR",
    )


def at_random(tasks: int, effects: int) -> None:
    clock = Clock()

    async def explore() -> frontrun.InterleavingResult:
        return await frontrun.explore(
            setup=Shared,
            workers=[task(number, tasks, effects, is_planted=True) for number in range(tasks)],
            invariant=lambda shared: shared.balance == tasks,
            strategy="random",
            max_attempts=10**9,
            total_timeout=budget_s(),
            seed=1,
        )

    result = asyncio.run(explore())
    tell(
        tool=f"frontrun {version('frontrun')}",
        shape=[tasks, effects],
        planted=True,
        found=result.property_holds is False,
        schedules=result.num_explored,
        distinct=result.unique_interleavings,
        exhaustive=False,
        seconds=clock(),
        note="random",
    )


for shape in SHAPES:
    at_random(*shape)
    search(*shape, is_planted=True)
    search(*shape, is_planted=False)
    for is_planted in (True, False):
        search(*shape, is_planted=is_planted, is_apart=True)
