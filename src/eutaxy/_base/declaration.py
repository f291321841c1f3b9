"""A scenario as written: what the functions of `eutaxy.cloudflare` return, before it is judged.

The functions only note what they were given and where; `_session` reads the notes, of Python and of
TypeScript scenarios alike, and reports what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Declaration(NamedTuple):
    """One call of the scenario API.

    Args:
        kind: The function, by its name in TypeScript ("atMostOncePerKey").
        place: Where it was called: "<file>:<line>:<column>".
        members: What it was given, by the names in TypeScript.
    """

    kind: str
    place: str
    members: Mapping[str, object]
