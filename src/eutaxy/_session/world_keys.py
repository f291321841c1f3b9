"""Keys of worlds that are the same in every process: what a ledger calls them by."""

from __future__ import annotations

import hashlib
from typing import Protocol

from eutaxy._session.model import Model
from eutaxy._world.component import Address, Local
from eutaxy._world.digest import long_digest_of
from eutaxy._world.world import World


class Historian(Protocol):
    """User code that can tell what one of its numbers stands for."""

    def history(self, number: int) -> str:
        """What a node (in the unfactored model: a life) has observed."""
        ...


class WorldKeys:
    """Gives 128-bit keys.

    A node of user code is a number that only this process knows; in keys, what it has observed
    stands for it. In the unfactored model that is so of lives, and nodes are numbers that mean the
    same everywhere.

    Args:
        model: The graph of the worlds.
        code: The code that it asks.
        is_factored: Whether its nodes are fibers.
    """

    def __init__(self, model: Model, code: Historian, *, is_factored: bool) -> None:
        self.model = model
        self._code = code
        self._named = "NodeId" if is_factored else "LifeId"
        self._of_states: dict[tuple[Address, Local], bytes] = {}
        self._of_nodes: dict[int, str] = {}

    def key(self, world: World) -> str:
        """The key of a world, as 32 hexadecimal digits."""
        digest = hashlib.blake2b(digest_size=16)
        for state in self.model.locals_of(world):
            known = self._of_states.get(state)
            if known is None:
                known = long_digest_of(*state, self._name)
                self._of_states[state] = known
            digest.update(known)
        return digest.hexdigest()

    def _name(self, annotation: str, value: object) -> str | None:
        if annotation != self._named or not isinstance(value, int):
            return None
        known = self._of_nodes.get(value)
        if known is None:
            known = self._code.history(value)
            self._of_nodes[value] = known
        return known
