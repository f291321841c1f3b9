"""Trying regressions again: does the schedule still fail, pass now, or no longer fit the code?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from eutaxy._base.scenario import Scenario
from eutaxy._base.verdict import RegressionState, Tried, Violation
from eutaxy._session.along import violation_along
from eutaxy._session.checker import Checker
from eutaxy._session.model import Model
from eutaxy._session.regressions.anchored import Followed, Turn, follow
from eutaxy._session.regressions.file import Regression
from eutaxy._session.regressions.folder import SavedFile
from eutaxy.errors import ScenarioError, UnmodelledError

SHIFTS = (1, -1, 2)
"""By how much the occurrence of an effect may have moved because of an edit nearby."""

_KEEP = "keep it as a test, or delete it"
_RENAME = "if it was renamed, rename it in the file, else delete the file"


@dataclass(frozen=True, slots=True)
class Trial:
    """A regression that was tried, with the violation when it still fails.

    Args:
        tried: What came of it.
        regression: What the file says; None when it cannot be read.
        violation: For one that still fails.
    """

    tried: Tried
    regression: Regression | None = None
    violation: Violation | None = None


def try_all(
    checker: Checker, scenario: Scenario, profile: str, saved: Iterable[SavedFile]
) -> tuple[Trial, ...]:
    """Try regressions.

    Args:
        checker: Gives models; no search of it is under way.
        scenario: The declarations.
        profile: Name of the platform behaviour of this check.
        saved: The files.
    """
    files = tuple(saved)
    return checker.with_reads(
        lambda: tuple(_Trying(checker, scenario, profile, file).trial() for file in files)
    )


class _Trying:
    def __init__(self, checker: Checker, scenario: Scenario, profile: str, file: SavedFile) -> None:
        self._checker = checker
        self._scenario = scenario
        self._profile = profile
        self._file = file

    def trial(self) -> Trial:
        regression = self._file.content
        if isinstance(regression, str):
            text = f"{regression}; nothing of it was changed: correct it, or delete it"
            return Trial(Tried(self._file.shown, RegressionState.UNREADABLE, text))
        if regression.profile != self._profile:
            text = f"it was found with --profile {regression.profile}"
            return self._told(regression, RegressionState.NOT_TRIED, text)
        declared = {each.name for each in self._scenario.drive}
        for name in regression.events:
            if name not in declared:
                text = f'the event "{name}" is gone from the scenario; {_RENAME}'
                return self._told(regression, RegressionState.MISFIT, text)
        try:
            return self._run(regression)
        except (ScenarioError, UnmodelledError) as error:
            text = f"{error.doing}: {error.found}"
            return self._told(regression, RegressionState.NOT_TRIED, text)

    def _told(self, regression: Regression, state: RegressionState, text: str) -> Trial:
        return Trial(Tried(self._file.shown, state, text), regression)

    def _run(self, regression: Regression) -> Trial:
        whole = self._scenario
        bounds = replace(
            whole.bounds,
            max_redeliveries=regression.redeliveries_max,
            max_concurrent=regression.concurrent_max,
        )
        drive = tuple(each for each in whole.drive if each.name in regression.events)
        run = replace(whole, bounds=bounds, drive=drive)
        model = self._checker.model(run)
        events = [each.name for each in drive]
        exact = follow(model, events, regression.turns)
        for followed in (exact, *_near(model, events, regression.turns)):
            violation = self._violation(run, model, regression, followed)
            if violation is not None:
                tried = Tried(
                    self._file.shown, RegressionState.FAILS, violation.claim, violation.token
                )
                return Trial(tried, regression, violation)
        if not exact.is_ended:
            text = "its run does not come to rest any more; delete it"
            return self._told(regression, RegressionState.MISFIT, text)
        if exact.placed < len(regression.turns):
            text = misfit(regression.turns[exact.placed], exact)
            return self._told(regression, RegressionState.MISFIT, f"{text}; {_RENAME}")
        return self._told(regression, RegressionState.PASSES, _KEEP)

    def _violation(
        self, run: Scenario, model: Model, regression: Regression, followed: Followed
    ) -> Violation | None:
        """What a run breaks: what it broke before, or else something."""
        if not followed.is_ended:
            return None
        return violation_along(
            self._scenario,
            run,
            self._profile,
            model,
            followed.path,
            certificate="none: it was saved earlier, and is tried before any search",
            wanted=regression.invariant,
        )


def _near(model: Model, events: list[str], turns: tuple[Turn, ...]) -> Iterator[Followed]:
    """The runs that are meant if an edit nearby has moved a turn."""
    yield follow(model, events, turns, is_loose=True)
    for at, turn in enumerate(turns):
        for shift in SHIFTS:
            if turn.occurrence + shift < 1:
                continue
            moved = replace(turn, occurrence=turn.occurrence + shift)
            yield follow(model, events, (*turns[:at], moved, *turns[at + 1 :]))


def misfit(turn: Turn, followed: Followed) -> str:
    """Why a turn found no place in a run."""
    moment, counts = turn.moment, followed.counts
    if turn.after is not None and turn.after.occurrence and not counts[turn.after.moment]:
        moment = turn.after.moment
    mine = [each for each in counts if each.activation == moment.activation]
    if not mine:
        return f"{moment.activation} is gone, or not reached any more"
    steps = sorted({each.step for each in mine if each.step})
    if moment.step and moment.step not in steps:
        there = ", ".join(f'"{each}"' for each in steps) or "none"
        return (
            f'the step "{moment.step}" is gone from {moment.activation}, or not reached any more '
            f"(steps there: {there})"
        )
    whats = sorted({each.what for each in mine if each.step == moment.step})
    where = f'the step "{moment.step}" of ' if moment.step else ""
    if moment.what not in whats:
        return f"{moment.what} is gone from {where}{moment.activation} (there: {', '.join(whats)})"
    if moment == turn.moment and counts[moment] < turn.occurrence:
        return (
            f"{moment.what} happens {counts[moment]} times in {where}{moment.activation}, and not "
            f"{turn.occurrence} times"
        )
    return f"{turn.does} is not possible any more at {turn.moment}"
