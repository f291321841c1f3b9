"""Time composes: to wait a and then b is to wait a + b, in every component of every world."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from eutaxy._session.model import Model
from eutaxy._world.component import Component, Local
from eutaxy._world.world import CLOCK_SLOT, World
from tests.oracles.test_platform import Keyed, model_of, with_reads
from tests.oracles.workers import Worker
from tests.property.random_workers import workers


@settings(max_examples=100)
@given(
    worker=workers(),
    picks=st.lists(st.integers(0, 1_000), max_size=25),
    part=st.floats(0, 1, exclude_min=True, exclude_max=True),
)
def test_ticks_compose_up_to_the_next_timer(worker: Worker, picks: list[int], part: float) -> None:
    def work(keyed: Keyed) -> None:
        model = model_of(worker, keyed)
        world = model.initial
        for pick in picks:
            options = model.choices(world)
            if not options:
                break
            for option in options:
                whole = option.message
                if option.slot == CLOCK_SLOT and whole > 1:
                    _check_world(model, world, whole, max(1, int(whole * part)))
            world = model.step(world, options[pick % len(options)])

    with_reads(work)


def _check_world(model: Model, world: World, whole: int, first: int) -> None:
    in_two = model._tick(model._tick(world, first), whole - first)
    assert in_two == model._tick(world, whole)
    for address, local in model.locals_of(world):
        _check_component(model._components[model.slot(address)], local, whole, first)


def _check_component(component: Component, local: Local, whole: int, first: int) -> None:
    timer = component.next_timer(local)
    later = component.tick(local, first)
    assert component.tick(later, whole - first) == component.tick(local, whole)
    left = component.next_timer(later)
    if timer is None:
        assert left is None
    else:
        # The clock never jumps over a timer, and every timer runs at the same pace.
        assert timer >= whole
        assert left == timer - first
