"""A system whose worlds can move between processes, each of which has ids of its own."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.note import Diagnostic, Reached
from eutaxy._world.component import Address, Local
from eutaxy._world.digest import digest_of
from eutaxy._world.system import System


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the transitions taken in one process have told, beside the worlds.

    Args:
        states: States met of the components that are asked about afterwards.
        diagnostics: Suspicious things pointed out.
        reached: Declared things that were used.
        subjects: What else the system wants to know of, by name.
    """

    states: tuple[tuple[Address, Local], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reached: tuple[Reached, ...] = ()
    subjects: tuple[str, ...] = ()


class DivisibleSystem(System):
    """A system that can say what its ids stand for, and take over what others have met."""

    def meaning(self, state: int) -> tuple[Address, Local]:
        """What a state id stands for."""
        return self._addresses[self._owner[state]], self._locals[state]

    def placed(self, address: Address, local: Local) -> tuple[int, int]:
        """Slot and id here of a component state that another process has met."""
        slot = self._slot(address)
        return slot, self._intern(slot, local)

    def digest(self, state: int) -> int:
        """A number for a state that is the same in every process."""
        return digest_of(*self.meaning(state))

    def remembered(self) -> Remembered:
        """What is to be told to the process that reports."""
        return Remembered(
            diagnostics=tuple(self._diagnostics),
            reached=tuple(
                sorted(self._reached, key=lambda each: (each.kind, each.name, each.index))
            ),
        )

    def recall(self, remembered: Remembered) -> None:
        """Take over what another process remembers."""
        for address, local in remembered.states:
            self.placed(address, local)
        self._diagnostics.update(dict.fromkeys(remembered.diagnostics))
        self._reached.update(remembered.reached)
