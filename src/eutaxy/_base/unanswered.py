"""The signal of a process that searches and may not ask user code itself."""

from __future__ import annotations

from collections.abc import Hashable


class Unanswered(Exception):
    """Something must be asked of user code that this process does not know the answer to.

    A signal, not an error: what was being computed is put aside until the answer has come.

    Args:
        question: The question; equal questions have equal answers.
    """

    def __init__(self, question: Hashable) -> None:
        self.question = question
        super().__init__(question)
