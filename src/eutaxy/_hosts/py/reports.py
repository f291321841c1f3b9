"""How an evaluation ends early: user code used what the model lacks, or cannot go on.

Both are `BaseException`s so that `except Exception` in user code does not stop them, and both are
remembered where they are raised, so that nothing that user code does afterwards can hide them.
"""

from __future__ import annotations

from typing import Any


class Stop(BaseException):
    """The evaluation ends here; its answer is a report instead of reactions."""


class Abandoned(BaseException):
    """Raised into code of an evaluation that is over (its `finally` blocks), when it asks for
    more."""


class Unmodelled(Stop):
    """User code used something that the model lacks.

    Args:
        what: The thing, as the report names it ("a socket").
        remedy: What to use or do instead; empty when there is no better advice than the general
            one.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


class Failure(Stop):
    """Evaluation cannot go on (`sys.exit`, a broken module, ...).

    Args:
        what: Why.
        earlier: When the code is not where a move expects it to be: the reactions to the start and
            to each move before.
    """

    def __init__(self, what: str, earlier: list[list[dict[str, Any]]] | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.earlier = earlier
