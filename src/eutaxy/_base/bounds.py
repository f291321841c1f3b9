"""Bounds of what is explored, and the budget of what exploring may cost."""

from __future__ import annotations

from dataclasses import dataclass

from eutaxy._base.fault import OPTIONAL, Fault

COUNT_MAX = 100
"""The most that a bound on faults, redeliveries or invocations may be; far above what a search
covers."""

BUDGET_MAX_MS = 7 * 24 * 3600 * 1000
"""The longest budget: a week."""


ANY_FAULT = "any"
"""All kinds of faults together, in limits of one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits inside which every schedule is covered.

    Args:
        max_faults: Most faults in one schedule.
        max_redeliveries: Most redeliveries of driver events in one schedule.
        max_concurrent: Most invocations of user code under way at once.
        budget_ms: Wall-clock time that the search may spend.
        faults_max: Most faults of one kind in one schedule, by the kind's name ("answer_lost") or
            "crash" for all crashes together; a kind that is not named has no limit of its own, and
            does not strike at all if it is one of the optional ones.
        faults_at: The same for one place, as (external or binding, kind or `ANY_FAULT`, number).
    """

    max_faults: int = 1
    max_redeliveries: int = 1
    max_concurrent: int = 1
    budget_ms: int = 10_000
    faults_max: tuple[tuple[str, int], ...] = ()
    faults_at: tuple[tuple[str, str, int], ...] = ()

    def __post_init__(self) -> None:
        assert 0 <= self.max_faults <= COUNT_MAX
        assert 0 <= self.max_redeliveries <= COUNT_MAX
        assert 1 <= self.max_concurrent <= COUNT_MAX
        assert 1 <= self.budget_ms <= BUDGET_MAX_MS
        assert all(count >= 0 for _, count in self.faults_max)

    @property
    def asked(self) -> tuple[Fault, ...]:
        """The optional faults that may strike."""
        named = [name for name, count in self.faults_max if count]
        return tuple(each for each in OPTIONAL if each.value in named)
