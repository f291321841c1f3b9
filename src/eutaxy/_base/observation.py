"""What monitors are told: an effect that really happened."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.value import Value


@dataclass(frozen=True, slots=True)
class Happened:
    """An effect was applied by its target (a deduplicated repetition is not).

    Args:
        target: "Fetch:payouts".
        operation: "POST".
        args: The arguments of the effect as key paths see them (a JSON body is parsed).
    """

    target: str
    operation: str
    args: Value
