"""Random graphs of up to three machines that talk to each other, wait, fail and begin again."""

from __future__ import annotations

from hypothesis import strategies as st

from eutaxy._base.fault import Fault
from eutaxy._world.component import Address, Gate, Local
from eutaxy.testing import Machine, Move, Tell, Toy
from eutaxy.testing.toys import At

AGAIN_MAX = 2
"""A state of a machine is BASE * (AGAIN_MAX + 1) + how often it began again."""

FAULTS = (Fault.CRASH_AFTER, Fault.ANSWER_LOST)


def _state(base: int, used: int) -> int:
    return base * (AGAIN_MAX + 1) + used


@st.composite
def machines(draw: st.DrawFn, peers: int, me: int) -> Machine:
    """Draw a machine; without faults it only goes forward, so that every run ends."""
    size = draw(st.integers(3, 4))
    moves: dict[int, list[Move]] = {}
    timers: dict[int, int] = {}
    for base in range(size - 1):
        is_waiting = draw(st.booleans()) and base > 0
        gate = Gate.START if is_waiting else draw(st.sampled_from([Gate.STEP, Gate.START]))
        rows = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
        wait_ms = draw(st.integers(1, 3))
        for used in range(AGAIN_MAX + 1):
            here = _state(base, used)
            if is_waiting:
                timers[here] = wait_ms
            moves[here] = []
        for row in rows:
            forward = draw(st.integers(base + 1, size - 1))
            anywhere = draw(st.integers(0, size - 1))
            fault = FAULTS[row - 2] if row >= 2 else None
            tells = None
            if peers > 1 and draw(st.booleans()):
                other = draw(st.integers(0, peers - 2))
                tells = Tell(address(other + (other >= me)), draw(st.integers(0, 1)))
            for used in range(AGAIN_MAX + 1):
                to = forward if fault is None else anywhere
                moves[_state(base, used)].append(Move(_state(to, used), fault, gate, tells))
    if draw(st.booleans()):
        begin, to = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        for used in range(AGAIN_MAX):
            moves.setdefault(_state(begin, used), []).append(
                Move(_state(to, used + 1), gate=Gate.AGAIN)
            )
    hears: dict[tuple[int, int], int] = {}
    for base in range(size - 1):
        for word in range(2):
            if draw(st.booleans()):
                later = draw(st.integers(base + 1, size - 1))
                for used in range(AGAIN_MAX + 1):
                    hears[_state(base, used), word] = _state(later, used)
    return Machine(moves, hears=hears, timers=timers)


def address(number: int) -> Address:
    return ("machine", str(number))


@st.composite
def toys(draw: st.DrawFn) -> Toy:
    """Draw a graph, sometimes with something bad in it."""
    count = draw(st.integers(2, 3))
    parts = {address(me): draw(machines(count, me)) for me in range(count)}
    bad = (
        draw(st.tuples(*(st.integers(1, 2) for _ in range(count)))) if draw(st.booleans()) else None
    )
    is_at_rest = draw(st.booleans())

    def judge(states: object) -> bool:
        assert isinstance(states, list)
        return bad is not None and tuple(base_of(state) for state in states) == bad

    return Toy(
        parts,
        slots_max=draw(st.integers(1, 2)),
        is_bad=(lambda _: False) if is_at_rest else judge,
        is_bad_at_rest=judge if is_at_rest else (lambda _: False),
    )


def base_of(local: Local) -> int:
    assert isinstance(local, At)
    return local.state // (AGAIN_MAX + 1)
