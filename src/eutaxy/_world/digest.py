"""Numbers for component states that are the same in every process.

Python's own `hash` of texts differs between processes, and so may the pickle of equal values.
Worlds are shared out between processes by these numbers; equal states must have equal ones.
Different states may share one: nothing is merged by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TypeAlias

from eutaxy._world.component import Address, Local

Naming: TypeAlias = Callable[[str, object], str | None]
"""From the annotation and the value of a field to a text that stands for it in every process; None
where the value does so itself."""


def digest_of(address: Address, local: Local) -> int:
    """A 64-bit number for the state of the component at an address."""
    digest = hashlib.blake2b(digest_size=8)
    for piece in _pieces((address, local), _as_it_is):
        digest.update(piece)
    return int.from_bytes(digest.digest(), "big")


def long_digest_of(address: Address, local: Local, naming: Naming) -> bytes:
    """128 bits for the state of the component at an address.

    Args:
        address: The component.
        local: Its state.
        naming: Stands in for numbers that only this process knows.
    """
    digest = hashlib.blake2b(digest_size=16)
    for piece in _pieces((address, local), naming):
        digest.update(piece)
    return digest.digest()


def _as_it_is(annotation: str, value: object) -> None:
    return None


def _pieces(value: object, naming: Naming) -> Iterator[bytes]:
    """A value as bytes, each part with its length, so that no two values give the same."""
    if isinstance(value, Enum):
        yield from _text("e", f"{type(value).__qualname__}.{value.name}")
    elif isinstance(value, bool | int | float):
        # Equal numbers of different types are equal states.
        is_whole = not isinstance(value, float) or value.is_integer()
        yield from _text("n", repr(int(value) if is_whole else value))
    elif value is None:
        yield b"-"
    elif isinstance(value, str):
        yield from _text("t", value)
    elif isinstance(value, bytes):
        yield b"b%d:" % len(value)
        yield value
    elif isinstance(value, tuple):
        yield b"(%d:" % len(value)
        for each in value:
            yield from _pieces(each, naming)
    elif isinstance(value, frozenset):
        yield b"{%d:" % len(value)
        yield from sorted(b"".join(_pieces(each, naming)) for each in value)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _text("d", type(value).__qualname__)
        for each in fields(value):
            if each.compare:
                own = getattr(value, each.name)
                name = naming(str(each.type), own)
                yield from _pieces(own, naming) if name is None else _text("h", name)
    else:
        raise AssertionError(f"a component state holds {type(value)}, which has no digest")


def _text(kind: str, text: str) -> Iterator[bytes]:
    encoded = text.encode("utf-8", "surrogatepass")
    yield f"{kind}{len(encoded)}:".encode()
    yield encoded
