"""Walking two models of one scenario in step: the factored one and the unfactored one.

Both are given the same choices, and must offer the same ones and tell the same story. They differ
when fibers share more than their answers: a step callback that writes a variable which `run` reads
later.
"""

from __future__ import annotations

import hashlib

from eutaxy._base.code import FibersShare
from eutaxy._base.note import Note
from eutaxy._session.model import Model
from eutaxy._world.system import Explained

STEPS_MAX = 400
"""Longest walk."""


def compare_models(
    factored: Model, unfactored: Model, *, walks: int, faults_max: int, redeliveries_max: int
) -> None:
    """Walk both models along the fault-free run and along random schedules.

    Args:
        factored: Model over fibers.
        unfactored: Model over whole activations.
        walks: Random walks, besides the fault-free one.
        faults_max: Most faults in a walk.
        redeliveries_max: Most redeliveries in a walk.

    Raises:
        FibersShare: The two differ.
    """
    for walk in range(walks + 1):
        _walk(factored, unfactored, walk, faults_max, redeliveries_max)


def _walk(factored: Model, unfactored: Model, walk: int, faults: int, redeliveries: int) -> None:
    left, right = factored.initial, unfactored.initial
    for at in range(STEPS_MAX):
        options, twins = factored.choices(left), unfactored.choices(right)
        offered = [factored.describe(option) for option in options]
        if offered != [unfactored.describe(option) for option in twins]:
            raise FibersShare("", "another choice of what may happen next")
        open_now = [
            number
            for number, option in enumerate(options)
            if option.faults <= faults and option.redeliveries <= redeliveries
        ]
        if not open_now or factored.is_bad(left):
            return
        number = open_now[_draw(walk, at, len(open_now)) if walk else 0]
        told, twin = (
            factored.explain(left, options[number]),
            unfactored.explain(right, twins[number]),
        )
        _compare(told, twin)
        faults -= options[number].faults
        redeliveries -= options[number].redeliveries
        left, right = told.world, twin.world


def _compare(told: Explained, twin: Explained) -> None:
    for mine, other in zip(told.notes, twin.notes, strict=False):
        if mine != other:
            name = mine.activation if isinstance(mine, Note) else ""
            text = mine.text if isinstance(mine, Note) else "what a monitor saw"
            raise FibersShare(name, text)
    if len(told.notes) != len(twin.notes):
        raise FibersShare("", "one more thing that happens")


def _draw(walk: int, at: int, count: int) -> int:
    digest = hashlib.blake2b(f"{walk}/{at}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count
