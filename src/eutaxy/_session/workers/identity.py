"""Which eutaxy a process runs; processes that search together must run the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from eutaxy import __version__


@dataclass(frozen=True, slots=True)
class Identity:
    """A version, and a digest of its source: a version under development may be many things."""

    version: str
    source: str


def identity() -> Identity:
    """What this process runs."""
    digest = hashlib.blake2b(digest_size=8)
    root = Path(__file__).parents[2]
    for path in sorted(root.rglob("*.py"), key=lambda each: each.relative_to(root).as_posix()):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return Identity(__version__, digest.hexdigest())
