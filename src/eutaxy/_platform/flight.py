"""Calls of dead activations that are still under way and will land (F-DO-13).

A call that left its caller before the caller died happens at some later moment: after the next
attempt has begun, or after everything else is over. Nobody hears its answer. It needs no
invocation slot, and a run is not at rest before it has landed.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from eutaxy._base.note import Note
from eutaxy._base.record import RecordKind
from eutaxy._platform.call import FLIGHT, Answered, Deferred, Fate, Fly, KeyUsed, Perform, Return
from eutaxy._world.component import Choice, Gate, Local, Passive, Step


@dataclass(frozen=True, slots=True)
class Land:
    """Choice: one of the calls happens."""

    call: Fly


@dataclass(frozen=True, slots=True)
class Flying:
    """Calls under way, in a fixed order; and the one that is landing in this transition."""

    calls: tuple[Fly, ...] = ()
    landing: Fly | None = None


class CallsInFlight(Passive):
    """The component of all calls in flight."""

    def initial(self) -> Local:
        """None under way."""
        return Flying()

    def choices(self, local: Local) -> tuple[Choice, ...]:
        """Each different call may land."""
        assert isinstance(local, Flying)
        return tuple(Choice(Land(call), gate=Gate.FREE) for call in dict.fromkeys(local.calls))

    def on(self, local: Local, message: Hashable) -> Step:
        """Take up a call, let one land, or drop what has become pointless."""
        assert isinstance(local, Flying)
        if isinstance(message, Fly):
            return Step(Flying(_sorted((*local.calls, message)), local.landing))
        if isinstance(message, KeyUsed):
            left = tuple(call for call in local.calls if call.key != message.key)
            return Step(Flying(left, local.landing))
        if isinstance(message, Land):
            call = message.call
            index = local.calls.index(call)
            left = (*local.calls[:index], *local.calls[index + 1 :])
            back = Return(FLIGHT, "", 0, Fate.NORMAL)
            launch = call.launch
            perform = Perform(launch.effect, back, launch.now_ms, launch.origin)
            return Step(Flying(left, call), ((call.target, perform),))
        if isinstance(message, Deferred):
            assert local.landing is not None
            effect = local.landing.launch.effect
            return self._landed(local, f"{effect.name} {effect.operation}")
        assert isinstance(message, Answered)
        # An answer that was deferred comes after its call has landed; nobody hears it.
        return Step(local) if message.deferred_by else self._landed(local, message.shown)

    def _landed(self, local: Flying, shown: str) -> Step:
        assert local.landing is not None
        launch = local.landing.launch
        note = Note(
            kind=RecordKind.LANDED,
            activation=launch.activation,
            source="flight",
            text=shown,
            args=launch.effect.args,
            place=launch.effect.place,
        )
        return Step(Flying(local.calls), (), (note,))


def _sorted(calls: tuple[Fly, ...]) -> tuple[Fly, ...]:
    def order(call: Fly) -> tuple[str, str, str, str]:
        effect = call.launch.effect
        return (effect.name, effect.operation, effect.args, call.launch.origin)

    return tuple(sorted(calls, key=order))
