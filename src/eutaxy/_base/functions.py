"""Calling functions of the scenario file: predicates, stateful services, dedupe keys."""

from __future__ import annotations

from typing import Protocol

from eutaxy._base.scenario import FunctionRef
from eutaxy._base.value import Value


class ScenarioFunctions(Protocol):
    """Remembered pure functions of the scenario."""

    def call(self, function: FunctionRef, argument: Value) -> Value:
        """What the function returns for an argument.

        Raises:
            ScenarioError: It threw, or gave something that JSON cannot say; the message names it.
        """
        ...


class NoFunctions:
    """The functions of a scenario that has none."""

    def call(self, function: FunctionRef, argument: Value) -> Value:
        """Never called: there is no `FunctionRef` to call it with."""
        raise AssertionError(f"a scenario without functions has no function {function}: {argument}")
