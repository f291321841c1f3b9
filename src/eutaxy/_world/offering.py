"""Which of the choices that component states offer are open, seen from the whole world."""

from __future__ import annotations

from collections.abc import Iterable

from eutaxy._world.world import CLOCK_SLOT, Offer, Option


def open_options(offers: Iterable[Offer], slots_max: int) -> list[Option]:
    """The open choices, what normally happens first; empty at the very end.

    Args:
        offers: What each existing component offers, by address order.
        slots_max: Most invocations of user code under way at once.
    """
    running: list[Offer] = []
    idle: list[Offer] = []
    for offer in offers:
        (running if offer.is_running else idle).append(offer)
    options: list[Option] = []
    for offer in running:
        options += offer.step
        options += offer.start
    has_slot = len(running) < slots_max
    if has_slot:
        for offer in idle:
            options += offer.start
    for offer in (*running, *idle):
        options += offer.free
    if not has_slot:
        return options
    if running:
        for offer in idle:
            options += offer.overlap
    else:
        wait: int | None = None
        for offer in idle:
            timer = offer.timer
            if timer is not None and (wait is None or timer < wait):
                wait = timer
        if wait:
            options.append(Option(CLOCK_SLOT, wait, 0, 0))
    for offer in idle:
        options += offer.again
    return options
