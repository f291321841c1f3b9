"""The race that eutaxy is compared on is the one that the other tools run (benchmarks/peers)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest
from benchmarks.peers.race import SHAPES, Shared, is_lost_at, task


def _run(order: Sequence[int], tasks: int, effects: int, *, is_planted: bool) -> tuple[bool, bool]:
    """Run the tasks in an order: was an addition lost, and was a place met where it is bound to be."""
    shared = Shared()
    running = [
        task(number, tasks, effects, is_planted=is_planted)(shared) for number in range(tasks)
    ]
    for each in running:
        each.send(None)  # up to the first effect
    done = [0] * tasks
    is_bound = False
    for number in order:
        done[number] += 1
        if done[number] < effects:
            running[number].send(None)
        else:
            with pytest.raises(StopIteration):
                running[number].send(None)
        is_bound = is_bound or is_lost_at(done, effects)
    assert done == [effects] * tasks
    return shared.balance != tasks, is_bound


def _orders_of_two(effects: int) -> Iterator[list[int]]:
    for firsts in combinations(range(2 * effects), effects):
        yield [0 if place in firsts else 1 for place in range(2 * effects)]


@pytest.mark.parametrize("effects", [4, 6])
def test_an_addition_is_lost_where_the_toy_says_so(effects: int) -> None:
    answers = [_run(order, 2, effects, is_planted=True) for order in _orders_of_two(effects)]
    assert {is_lost for is_lost, _ in answers} == {True, False}
    assert all(is_lost == is_bound for is_lost, is_bound in answers)


@pytest.mark.parametrize(("tasks", "effects"), SHAPES)
def test_the_same_in_orders_drawn_from_the_real_shapes(tasks: int, effects: int) -> None:
    random = Random(1)  # noqa: S311 - orders, not secrets
    lost = set()
    for _ in range(1_000):
        order = [number for number in range(tasks) for _ in range(effects)]
        random.shuffle(order)
        is_lost, is_bound = _run(order, tasks, effects, is_planted=True)
        assert is_lost == is_bound
        lost.add(is_lost)
    assert lost == {True, False}


@pytest.mark.parametrize("effects", [4, 6])
def test_the_fixed_tasks_lose_nothing(effects: int) -> None:
    assert not any(
        _run(order, 2, effects, is_planted=False)[0] for order in _orders_of_two(effects)
    )
