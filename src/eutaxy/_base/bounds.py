"""Bounds of what is explored, and the budget of what exploring may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits inside which every schedule is covered.

    Args:
        max_faults: Most faults in one schedule.
        max_redeliveries: Most redeliveries of driver events in one schedule.
        max_concurrent: Most invocations of user code under way at once.
        budget_ms: Wall-clock time that the search may spend.
        faults_max: Most faults of one kind in one schedule, by the kind's name ("answer_lost") or
            "crash" for all crashes together; a kind that is not named has no limit of its own.
    """

    max_faults: int = 1
    max_redeliveries: int = 1
    max_concurrent: int = 1
    budget_ms: int = 10_000
    faults_max: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        assert self.max_faults >= 0
        assert self.max_redeliveries >= 0
        assert self.max_concurrent >= 1
        assert self.budget_ms >= 1
        assert all(count >= 0 for _, count in self.faults_max)
