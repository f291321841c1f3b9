"""detangle on the race: its mixture of strategies to find it, its DFS to cover the fixed one."""

from __future__ import annotations

import asyncio

import detangle
from race import SHAPES, Clock, Orders, Shared, budget_s, task, tell

NO_LIMIT = 10**9


def search(tasks: int, effects: int, *, is_planted: bool) -> None:
    orders = Orders()
    runs = 0

    async def program() -> None:
        nonlocal runs
        runs += 1
        shared = Shared()
        workers = [
            task(number, tasks, effects, is_planted=is_planted, is_noted=not is_planted)
            for number in range(tasks)
        ]
        await asyncio.gather(*(worker(shared) for worker in workers))
        orders.note(shared)
        assert shared.balance == tasks

    strategy = None if is_planted else detangle.DFS(max_delays=NO_LIMIT)
    clock = Clock()
    found, exhausted = False, False
    try:
        stats = detangle.explore(
            program,
            runs=NO_LIMIT,
            strategy=strategy,
            max_duration=budget_s(),
            seed=1,
            shrink=False,
            database=False,
        )
        exhausted = bool(stats.exhausted)
    except detangle.BugFound as bug:
        found, runs = True, bug.report.runs
    tell(
        tool=f"detangle {detangle.__version__}",
        shape=[tasks, effects],
        planted=is_planted,
        found=found,
        schedules=runs,
        distinct=None if is_planted else len(orders.seen),
        exhaustive=exhausted,
        seconds=clock(),
        note="PCT and random" if is_planted else "DFS",
    )


for shape in SHAPES:
    search(*shape, is_planted=True)
    search(*shape, is_planted=False)
