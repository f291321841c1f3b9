"""What must hold in every world, whatever faults strike (section 4.3)."""

from __future__ import annotations

from eutaxy._world.system import System, World


def check_world(system: System, before: World, after: World) -> None:
    """See that a step of the model broke none of its promises."""
